// Goal: the inbox shows what is open and nothing else: every way by which a hold or an ask ends takes it out.

import { describe, expect, test } from 'vitest'
import { besideOf } from '../../machines/beside.ts'
import type { StoredEvent } from '../../machines/events.ts'
import { foldOn, parseEvent } from '../../machines/fold.ts'
import {
  answered,
  askedPerson,
  askExpired,
  askTurnedAway,
  cancelled,
  cancelling,
  exhausted,
  failed,
  granted,
  retried,
} from '../replay/given-ends.ts'
import { admitted, calls, dispatched, ended, given, held, opened, told, TURN, type Story, type Telling } from '../replay/given.ts'

/** What happens to the rows of the inbox when these are told behind a story, one append for each list. */
function settledBy(story: Story, ...appends: readonly (readonly Telling[])[]) {
  const settled: unknown[] = []
  let before = story
  for (const tellings of appends) {
    const after = tellings.reduce(told, before)
    const events = after.events.slice(before.events.length).map((event: StoredEvent) => parseEvent(event))
    settled.push(...(besideOf(before.state, events, foldOn(before.state, events), new Map(), null).approvals?.settle ?? []))
    before = after
  }
  return settled
}

const ASKED = `${TURN}.1.0`
const HELD = `${TURN}.1.1`

describe('a hold leaves the inbox', () => {
  const holding = () => given(opened(), calls('pay'), held(1))

  test('when it is granted, and once', () => {
    expect(settledBy(holding(), [granted(1)], [admitted(1)], [cancelling], [ended(1), cancelled])).toEqual([
      { approvalId: HELD, settled: 'granted' },
    ])
  })

  test('when its turn ends before anybody decided', () => {
    expect(settledBy(holding(), [cancelling], [ended(1), cancelled])).toEqual([{ approvalId: HELD, settled: 'closed' }])
  })

  test('when its turn ends with the append that raises it', () => {
    const story = given(opened(), calls('find', 'pay'))
    expect(settledBy(story, [admitted(1), held(2), ended(1), ended(2), exhausted])).toEqual([
      { approvalId: `${TURN}.2.1`, settled: 'closed' },
    ])
  })

  test('when a doubt beside it is given up by a retry', () => {
    const story = given(opened(), calls('pay', 'label'), admitted(1), held(2), dispatched(1), failed('tool_outcome_unknown', 1))
    expect(settledBy(story, [ended(1, 'retried'), ended(2, 'retried'), retried])).toEqual([
      { approvalId: `${TURN}.2.1`, settled: 'closed' },
    ])
  })
})

describe('an ask leaves the inbox', () => {
  const asking = () => given(opened(), calls('ask_user'), admitted(1), askedPerson(1))

  test('when it is answered', () => {
    expect(settledBy(asking(), [askTurnedAway(1)], [answered(1)])).toEqual([{ approvalId: ASKED, settled: 'answered' }])
  })

  test('when it expires', () => {
    expect(settledBy(asking(), [askExpired(1)], [exhausted])).toEqual([{ approvalId: ASKED, settled: 'expired' }])
  })

  test('when the turn is cancelled while it waits', () => {
    expect(settledBy(asking(), [cancelling], [cancelled])).toEqual([{ approvalId: ASKED, settled: 'closed' }])
  })

  test('once: a turn that is cancelled after the answer closes nothing', () => {
    expect(settledBy(asking(), [answered(1)], [cancelling], [cancelled])).toEqual([{ approvalId: ASKED, settled: 'answered' }])
  })
})
