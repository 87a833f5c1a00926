// The host's policy denies by whatever is no answer, and is waited for whatever kind of promise it gives.

import { expect, test } from 'vitest'
import type { Policy } from '../../index.ts'
import { boundedPolicy } from '../../adapters/policy.ts'
import { systemClock } from '../../adapters/clock.ts'
import { ANA, wrong } from './given.ts'

const CALL = { tool: 'write', arguments: {}, ordinal: 1, invocationId: 'i', replayPolicy: 'at-most-once' }
const TURN: Parameters<Policy>[1] = {
  turnId: 't',
  tenant: 'default',
  labels: {},
  principal: { ...ANA, scopes: [] },
  contentTrust: 'trusted',
  attempt: 1,
}

async function asked(answer: () => unknown) {
  const lines: string[] = []
  const keep = (message: string) => void lines.push(message)
  const policy = boundedPolicy(wrong<Policy>(answer), systemClock, { info: keep, warn: keep, error: keep })
  return { answer: await policy(CALL, TURN), lines: lines.length }
}

type Row = [string, () => unknown, ...unknown[]]
const thenable = (value: unknown) => ({ then: (done: (value: unknown) => void) => done(value) })

test.each([
  ['a word', () => 'allow', 'allow'],
  ['a promise', () => Promise.resolve('ask'), 'ask'],
  ['a promise of another library', () => thenable('ask'), 'ask'],
  ['a row', () => ({ decision: 'ask', approvers: [{ issuer: 'i', id: 'b' }] }), { decision: 'ask', approvers: [{ issuer: 'i', id: 'b' }] }],
] satisfies Row[])('an answer by %s is taken as it is', async (_, answer, expected) => {
  expect(await asked(answer)).toEqual({ answer: expected, lines: 0 })
})

test.each([
  ['yes', () => true],
  ['nothing', () => undefined],
  ['a word in capitals', () => 'Allow'],
  ['a promise of another library that holds no answer', () => thenable({ ok: true })],
  ['a misspelled list of approvers', () => ({ decision: 'ask', approver: [] })],
  ['approvers that are names', () => ({ decision: 'ask', approvers: ['bob'] })],
  ['an approver without an issuer', () => ({ decision: 'ask', approvers: [{ id: 'bob' }] })],
  ['an approver of no known kind', () => ({ decision: 'ask', approvers: [{ issuer: 'i', id: 'b', kind: 'robot' }] })],
  [
    'a throw',
    () => {
      throw new Error('no')
    },
  ],
  ['a rejection', () => Promise.reject(new Error('no'))],
] satisfies Row[])('%s counts as deny, with one line', async (_, answer) => {
  expect(await asked(answer)).toEqual({ answer: 'deny', lines: 1 })
})
