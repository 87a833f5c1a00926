// Goal: what an event says of its place is its place: version, attempt, round, ordinals, hold and ask. The charts know no numbers.

import { describe, expect, test } from 'vitest'
import type { Fact } from '../../machines/events.ts'
import { fold, parseEvent } from '../../machines/fold.ts'
import { ToolturnError } from '../../machines/errors.ts'
import type { TurnState } from '../../machines/state.ts'
import { ANSWERS, FORMS, round } from './composed-cases.ts'
import { stored, tryStep } from './composed.ts'
import { ANA, DEADLINE, opening } from './opening.ts'

const BY = { by: ANA, via: 'app' } as const
const PREPARED = { descriptor: 'v1', arguments: {}, argumentsDigest: 'digest', masked: false, trail: [] }

const opened: Fact = { type: 'turn.opened', data: opening() }
const recorded = (state: TurnState, ...tools: readonly string[]): Fact => ({ type: 'round.recorded', data: round(state, 'clean', tools) })
const admitted = (ordinal: number, tool: string): Fact => ({ type: 'call.admitted', data: { ordinal, tool, ...PREPARED } })
const dispatched = (ordinal: number, tool: string): Fact => ({
  type: 'call.dispatched',
  data: { ordinal, tool, dispatch: 1, invocationId: 'key' },
})
const held = (ordinal: number, tool: string): Fact => ({
  type: 'call.held',
  data: {
    ordinal,
    tool,
    ...PREPARED,
    gate: 'authorization',
    approvalId: `hold-${ordinal}`,
    contentTrust: 'trusted',
    approvers: null,
    expiresAt: DEADLINE,
    reason: 'always',
  },
})
const asked = (ordinal: number): Fact => ({
  type: 'clarification.asked',
  data: { ordinal, tool: 'ask_user', arguments: {}, expiresAt: DEADLINE },
})
const again = (attempt: number): Fact => ({ type: 'attempt.started', data: { attempt, despiteDoubt: false } })
const exhausted: Fact = { type: 'turn.exhausted', data: { limit: 'rounds' } }

/** The state behind facts, each made from the state before it. */
function behind(...makes: readonly (Fact | ((state: TurnState) => Fact))[]): TurnState {
  const first = fold(stored([opened]).map(parseEvent))
  return makes.reduce<TurnState>((state, make) => {
    const next = tryStep(state, typeof make === 'function' ? make(state) : make)
    if (next instanceof ToolturnError) throw next
    return next
  }, first)
}

function why(state: TurnState, fact: Fact): string | null {
  const next = tryStep(state, fact)
  return next instanceof ToolturnError ? next.message.replace(/^.*may not stand there: /, '') : null
}

describe('an attempt, a round, an ordinal', () => {
  test('is the next one', () => {
    expect(why(behind(exhausted), again(2))).toBeNull()
    expect(why(behind(exhausted), again(3))).toBe('attempt 2 was due.')
  })

  test.each(['round.requested', 'round.failed'] as const)('%s is of the round that is due', type => {
    const said = (number: number): Fact =>
      type === 'round.requested'
        ? { type, data: { round: number, request: 'digest' } }
        : { type, data: { round: number, try: 1, kind: 'timeout', backoffMs: 0 } }
    expect(why(behind(), said(1))).toBeNull()
    expect(why(behind(), said(2))).toBe('round 1 was due.')
  })

  test('a recorded round counts on, and its ordinals do, from where the attempt before left off', () => {
    const state = behind(from => recorded(from, 'look'), admitted(1, 'look'), ...runs(1), exhausted, again(2))
    const data = round(state, 'clean', ['look', 'pay'])
    expect(data.items.map(item => item.kind === 'call' && item.ordinal)).toEqual([2, 3])
    expect(why(state, { type: 'round.recorded', data })).toBeNull()
    expect(why(state, { type: 'round.recorded', data: { ...data, round: 2 } })).toBe('round 1 was due.')
    expect(why(state, { type: 'round.recorded', data: { ...data, items: data.items.slice(1) } })).toBe('ordinal 2 was due first.')
    expect(why(state, { type: 'round.recorded', data: { ...data, items: data.items.toReversed() } })).toBe('ordinal 2 was due first.')
  })
})

describe('verdicts', () => {
  test('come in the order of the calls, one each', () => {
    const state = behind(from => recorded(from, 'look', 'pay'))
    expect(why(state, admitted(2, 'pay'))).toBe('call 1 was to be judged first.')
    expect(
      why(
        behind(from => recorded(from, 'look', 'pay'), admitted(1, 'look')),
        held(1, 'look'),
      ),
    ).toBe('call 2 was to be judged first.')
  })
})

describe('a dispatch', () => {
  test('waits for the calls before it, but for reads that run', () => {
    const both = (first: string, second: string) => behind(from => recorded(from, first, second), admitted(1, first), admitted(2, second))
    expect(why(both('look', 'look'), dispatched(2, 'look'))).toBe('call 1 was to be seen to first.')
    const running = (first: string, second: string) => tryStep(both(first, second), dispatched(1, first)) as TurnState
    expect(why(running('look', 'look'), dispatched(2, 'look'))).toBeNull()
    expect(why(running('look', 'pay'), dispatched(2, 'pay'))).toBe('call 1 was to be seen to first.')
    expect(why(running('pay', 'look'), dispatched(2, 'look'))).toBe('call 1 was to be seen to first.')
  })
})

describe('what a tool wants to know', () => {
  const forms = (fact: Fact): Fact => ({ ...fact, data: { ...fact.data, forms: FORMS } }) as Fact
  const inquired: Fact = {
    type: 'call.inquired',
    data: { ordinal: 1, tool: 'look', dispatch: 1, forms: FORMS, state: null, sealed: false },
  }
  const inquiring = behind(from => recorded(from, 'look'), admitted(1, 'look'), dispatched(1, 'look'), inquired)

  test('stands in the hold of its call, and in no other one', () => {
    expect(why(inquiring, forms(held(1, 'look')))).toBeNull()
    expect(why(inquiring, held(1, 'look'))).toBe('forms were due.')
    const state = behind(from => recorded(from, 'pay'))
    expect(why(state, forms(held(1, 'pay')))).toBe('no forms are due.')
  })

  test('waits for what runs beside its call', () => {
    const both = behind(from => recorded(from, 'look', 'look'), admitted(1, 'look'), admitted(2, 'look'), dispatched(1, 'look'))
    const state = [dispatched(2, 'look'), inquired].reduce<TurnState>((at, fact) => tryStep(at, fact) as TurnState, both)
    expect(why(state, forms(held(1, 'look')))).toBe('a call still runs.')
  })

  test('is answered where it was asked, and nowhere else', () => {
    const granted = (answers?: typeof ANSWERS): Fact => ({
      type: 'approval.granted',
      data: {
        approvalId: 'hold-1',
        ordinal: 1,
        ...BY,
        contentTrust: 'trusted',
        edited: null,
        ...(answers === undefined ? {} : { answers }),
      },
    })
    const asking = tryStep(inquiring, forms(held(1, 'look'))) as TurnState
    expect(why(asking, granted(ANSWERS))).toBeNull()
    expect(why(asking, granted())).toBe('answers were due.')
    const plain = behind(from => recorded(from, 'pay'), held(1, 'pay'))
    expect(why(plain, granted(ANSWERS))).toBe('no answers are due.')
  })
})

describe('what a person says', () => {
  test('is about the hold that is open', () => {
    const state = behind(from => recorded(from, 'pay'), held(1, 'pay'))
    const granted = (approvalId: string): Fact => ({
      type: 'approval.granted',
      data: { approvalId, ordinal: 1, ...BY, contentTrust: 'trusted', edited: null },
    })
    expect(why(state, granted('hold-1'))).toBeNull()
    expect(why(state, granted('hold-2'))).toBe('it is not about the hold of call 1.')
  })

  test('is the answer to the ask', () => {
    const state = behind(from => recorded(from, 'look', 'ask_user'), admitted(1, 'look'), admitted(2, 'ask_user'), ...runs(1), asked(2))
    const answered = (ordinal: number): Fact => ({ type: 'clarification.answered', data: { ordinal, ...BY, answer: 'blue' } })
    expect(why(state, answered(2))).toBeNull()
    expect(why(state, answered(1))).toBe('call 1 is not the ask.')
  })
})

/** A call of `look` runs and is recorded. */
function runs(ordinal: number): readonly Fact[] {
  const recorded = { result: { content: [{ type: 'text', text: 'ok' }] }, digest: 'digest', bytes: 2, truncated: false }
  const data = { ordinal, tool: 'look', dispatch: 1, tries: 1, ended: 'returned', ...recorded, contentTrust: 'trusted' } as const
  return [dispatched(ordinal, 'look'), { type: 'call.recorded', data }]
}
