// Goal: the inbox shows what is open and nothing else: every way by which a hold or an ask ends takes it out.

import { describe, expect, test } from 'vitest'
import { besideOf } from '../../machines/beside.ts'
import type { StoredEvent } from '../../machines/events.ts'
import { foldOn, parseEvent } from '../../machines/fold.ts'
import { admitted, answered, askedPerson, askExpired, askTurnedAway, calls, cancelled, cancelling, exhausted, given, opened, told, TURN, type Story, type Telling } from '../replay/given.ts'

/** What happens to the rows of the inbox when these are told behind a story, one append each. */
function settledBy(story: Story, ...tellings: readonly Telling[]) {
  const settled: unknown[] = []
  let before = story
  for (const telling of tellings) {
    const after = told(before, telling)
    const events = after.events.slice(before.events.length).map((event: StoredEvent) => parseEvent(event))
    settled.push(...(besideOf(before.state, events, foldOn(before.state, events), new Map(), null).approvals?.settle ?? []))
    before = after
  }
  return settled
}

const ASKED = `${TURN}.1.0`

describe('an ask leaves the inbox', () => {
  const asking = () => given(opened(), calls('ask_user'), admitted(1), askedPerson(1))

  test('when it is answered', () => {
    expect(settledBy(asking(), askTurnedAway(1), answered(1))).toEqual([{ approvalId: ASKED, settled: 'answered' }])
  })

  test('when it expires', () => {
    expect(settledBy(asking(), askExpired(1), exhausted)).toEqual([{ approvalId: ASKED, settled: 'expired' }])
  })

  test('when the turn is cancelled while it waits', () => {
    expect(settledBy(asking(), cancelling, cancelled)).toEqual([{ approvalId: ASKED, settled: 'closed' }])
  })

  test('once: a turn that is cancelled after the answer closes nothing', () => {
    expect(settledBy(asking(), answered(1), cancelling, cancelled)).toEqual([{ approvalId: ASKED, settled: 'answered' }])
  })
})
