// Goal: whatever a scenario names is compared, and what differs is named by its place; what it does not name is free.

import { describe, expect, it } from 'vitest'
import type { Expectation, Scenario } from '../../adapters/scenario/format.ts'
import { holds } from '../../adapters/scenario/match.ts'
import { runScenario } from '../../adapters/scenario/run.ts'
import { holdsText } from '../../adapters/scenario/text.ts'

const HERE = { store: 'memory:', bus: 'memory:', inProcess: true }
const OWNER = { id: 'owner', issuer: 'https://id.example.com', kind: 'person' } as const

/** A write that waits and is agreed to, a step behind it, and what is expected of it. */
function scenario(expected: Expectation): Scenario {
  return {
    name: 'a write that waits',
    tools: {
      pay_invoice: {
        inputSchema: { type: 'object', properties: { invoice: { type: 'string' } }, required: ['invoice'] },
        replayPolicy: 'at-most-once',
        approval: 'always',
        behaviour: [{ returns: { content: [{ type: 'text', text: 'paid in full' }] } }],
      },
    },
    turn: { principal: OWNER, input: [{ role: 'user', text: 'Pay invoice 7.', contentTrust: 'trusted' }] },
    model: {
      rounds: [
        { stop: 'tool_calls', content: [{ call: { id: 'c1', name: 'pay_invoice', arguments: { invoice: '7' } } }] },
        { stop: 'end', content: [{ text: 'Done.' }] },
      ],
    },
    people: [{ on: 'call.held', call: 'c1', do: 'approve', as: OWNER }],
    then: [{ do: 'replay' }],
    expect: expected,
  }
}

async function differences(expected: Expectation) {
  return (await runScenario(scenario(expected), HERE)).differences
}

describe('what a scenario names', () => {
  const wrong: readonly (readonly [path: string, expected: Expectation])[] = [
    ['state', { state: 'failed' }],
    ['code', { code: 'tool_outcome_unknown' }],
    ['outcomes/c1', { outcomes: { c1: 'refused' } }],
    ['outcomes/#1', { outcomes: { '#1': 'held' } }],
    ['outcomes/c2', { outcomes: { c2: 'executed' } }],
    ['executions/pay_invoice', { executions: { pay_invoice: 2 } }],
    ['seen/pay_invoice', { seen: { pay_invoice: [{ invoice: '8' }] } }],
    ['modelCalls', { modelCalls: 3 }],
    ['events', { events: ['turn.opened', 'turn.completed'] }],
    ['includes/0', { includes: [{ type: 'call.held', data: { gate: 'limits' } }] }],
    ['excludes/0', { excludes: ['call.dispatched'] }],
    ['requests/0/resultsFor', { requests: [{ round: 2, resultsFor: [] }] }],
    ['requests/0/contains', { requests: [{ round: 2, contains: ['paid in part'] }] }],
    ['requests/0/lacks', { requests: [{ round: 2, lacks: ['paid in full'] }] }],
    ['requests/0/round', { requests: [{ round: 3, contains: ['x'] }] }],
    ['absent', { absent: ['paid in full'] }],
    ['resolutions', { resolutions: [] }],
    ['then/0/state', { then: [{ state: 'failed' }] }],
    ['then/0/code', { then: [{ code: 'replay_diverged' }] }],
    ['then/0/executions', { then: [{ executions: 1 }] }],
    ['then/0/modelCalls', { then: [{ modelCalls: 2 }] }],
    ['then/1', { then: [{}, {}] }],
  ]

  it.each(wrong)('%s is compared', async (path, expected) => {
    expect((await differences(expected)).map(found => found.path)).toEqual([path])
  })

  it('is named with what was expected and what came', async () => {
    expect(await differences({ modelCalls: 3, outcomes: { c1: 'refused' } })).toEqual([
      { path: 'outcomes/c1', expected: 'refused', actual: 'executed' },
      { path: 'modelCalls', expected: 3, actual: 2 },
    ])
  })

  it('and nothing else is', async () => {
    expect(await differences({})).toEqual([])
  })

  it('names the places where a text is that must be nowhere', async () => {
    const [leak] = await differences({ absent: ['paid in full'] })
    const places = leak?.actual as readonly string[]
    expect(places.toSorted()).toEqual([expect.stringMatching(/^event \d+ call\.recorded$/), 'message', 'request'])
  })
})

describe('at least so much', () => {
  it('holds where more is there, all the way down', () => {
    expect(holds({ a: { b: 1, c: 2 }, d: [{ e: 1, f: 2 }] }, { a: { b: 1 }, d: [{ e: 1 }] })).toBe(true)
  })

  it.each([
    ['another value', { a: 1 }, { a: 2 }],
    ['a key that is missing', { a: 1 }, { b: 1 }],
    ['a key that every object inherits', {}, { toString: null }],
    ['a list that is longer', { a: [1, 2] }, { a: [1] }],
    ['a list in place of an object', { a: [] }, { a: {} }],
    ['null in place of a value', { a: 1 }, { a: null }],
  ])('does not hold with %s', (_, actual, expected) => {
    expect(holds(actual, expected)).toBe(false)
  })
})

describe('a text is found', () => {
  it.each([
    ['in a value', { a: ['x', { b: 'the secret is here' }] }],
    ['in a key', { 'the secret': 1 }],
    ['in JSON that is in a string', { arguments: JSON.stringify({ deep: JSON.stringify({ key: 'the secret' }) }) }],
    ['behind an escape', { arguments: '{"key":"the \\u0073ecret"}' }],
  ])('%s', (_, value) => {
    expect(holdsText(value, 'the secret')).toBe(true)
  })

  it('and not where it is not', () => {
    expect(holdsText({ a: 'the', b: ['secret', '{"half'] }, 'the secret')).toBe(false)
  })
})
