// Goal: every stream that a released version has written verifies and folds for ever, to the state that it had.
//
// Typed by hand, never read from the code. When one goes red, mend the code: upcast what it does not understand any more. The file
// and its line here stay as they are.

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { EVENT_TYPES, type StoredEvent } from '../../machines/events.ts'
import { fold, parseEvent } from '../../machines/fold.ts'
import { callStateName, stateName } from '../../machines/state.ts'
import { verifyStream } from '../../machines/verify.ts'

type Kept = readonly [events: number, head: string, end: string, calls: string]

/** By stream: how many events, how the hash of the last one begins, how the turn ended, and what became of its last attempt's calls. */
const STREAMS: { readonly [name: string]: Kept } = {
  '0.1.0-approval-expired': [6, '263ef4623931f6d0', 'completed', '1 pay refused'],
  '0.1.0-cancel-in-mid-tool': [9, 'f24f50b8affd5458', 'cancelled', '1 look executed, 2 pay ended-turn'],
  '0.1.0-clarification-expired': [6, '0a45089f42bdc37e', 'exhausted clarificationLifetimeMs', '1 ask_user ended-turn'],
  '0.1.0-clarification': [16, 'cd5b142b99172b08', 'completed', '1 look executed, 2 ask_user ended-turn, 3 pay ended-turn, 4 pay executed'],
  '0.1.0-edited-into-a-repeat': [13, '852202c7118b8fcf', 'completed', '1 pay executed, 2 pay suppressed-repeat'],
  '0.1.0-happy-turn': [10, '4f6324214c0c3f47', 'completed', '1 find_order executed, 2 refund executed'],
  '0.1.0-held-then-approved': [15, '4bd3c31e30e0dae8', 'completed', '1 read_mail executed, 2 send_mail executed'],
  '0.1.0-invalid-calls': [
    14,
    'edfe76614a9f859f',
    'completed',
    '1 Pay invalid, 2 pay invalid, 3 pay invalid, 4 pay executed, 5 pay executed',
  ],
  '0.1.0-late-completion': [8, '217d5ede2b007747', 'completed', '1 look executed'],
  '0.1.0-limits': [12, 'e7eb8de44bef63f6', 'exhausted rounds', '1 look executed, 2 look executed, 3 look ended-turn, 4 look ended-turn'],
  '0.1.0-model-unavailable': [8, 'eb36a85854f96e2a', 'failed model_unavailable', ''],
  '0.1.0-nobody-acts': [6, 'd4eef7ee46820d29', 'completed', '1 pay refused, 2 ask_user refused'],
  '0.1.0-odd-values': [7, '38ccf842894261e1', 'completed', '1 look executed'],
  '0.1.0-operator-settles': [10, 'd94b7084323375e8', 'completed', '1 pay executed'],
  '0.1.0-provider-effects': [7, '5e3f747c9e5ccb5e', 'completed', ''],
  '0.1.0-reads-together': [16, '1c35d7413f6e4f20', 'completed', '1 look executed, 2 look executed, 3 pay executed, 4 look executed'],
  '0.1.0-reconciled': [7, '06c7016e1419c520', 'completed', '1 pay executed'],
  '0.1.0-record-refused': [11, 'f003533cd36cddac', 'completed', '1 pay executed, 2 pay executed'],
  '0.1.0-record-too-large': [9, 'b5338db66642410e', 'completed', '1 look executed'],
  '0.1.0-refusal': [5, 'f0f5b0350978e79a', 'refused', '1 pay refused, 2 pay refused'],
  '0.1.0-repeat-suppressed': [
    14,
    '71e368ecdeb16082',
    'completed',
    '1 pay executed, 2 pay suppressed-repeat, 3 pay suppressed-repeat, 4 mail refused, 5 mail suppressed-repeat',
  ],
  '0.1.0-retry-despite-doubt': [18, '4c12bdb950645e4f', 'completed', '3 pay executed, 4 pay executed'],
  '0.1.0-tool-asks-the-person': [18, '005cea6631e4ce41', 'completed', '1 paint executed'],
  '0.1.0-tool-fails': [17, '47760eb940039e46', 'completed', '1 look executed, 2 pay executed, 3 pay executed'],
  '0.1.0-truncated-twice': [12, '0d138a964279e226', 'failed model_output_truncated', '3 pay invalid, 4 pay invalid'],
}

const FOLDER = new URL('streams/', import.meta.url)
const names = readdirSync(FOLDER).flatMap(file => (file.endsWith('.jsonl') ? [file.slice(0, -'.jsonl'.length)] : []))

function readStream(name: string): readonly StoredEvent[] {
  const lines = readFileSync(new URL(`${name}.jsonl`, FOLDER), 'utf8')
    .trimEnd()
    .split('\n')
  return lines.map(line => JSON.parse(line) as StoredEvent)
}

describe.each(names)('%s', name => {
  const [events, head, end, calls] = STREAMS[name] ?? []
  const stream = readStream(name)

  test('is the stream that was kept', () => {
    expect(stream.length).toBe(events)
    expect(stream.at(-1)?.hash.slice(0, 16)).toBe(head)
  })

  test('verifies', async () => {
    const check = await verifyStream(stream)
    expect(check?.findings).toEqual([])
    expect(check?.unjudged).toBe(0)
  })

  test('folds to the state that it had', () => {
    const state = fold(stream.map(parseEvent))
    const why = state.end?.code ?? state.end?.limit
    expect(`${stateName(state)}${why === undefined || why === null ? '' : ` ${why}`}`).toBe(end)
    expect([...state.calls.values()].map(call => `${call.ordinal} ${call.item.name} ${callStateName(call)}`).join(', ')).toBe(calls)
  })
})

test('none is missing', () => {
  expect(names).toEqual(Object.keys(STREAMS))
})

test('every event type is in one of them', () => {
  const types = new Set(names.flatMap(name => readStream(name).map(event => event.type)))
  expect(EVENT_TYPES.filter(type => !types.has(type))).toEqual([])
})
