// What people do to a turn, as the facts of a history want it: by the runtime's own doors, never by an append of ours.

import { ToolturnError } from '../../machines/errors.ts'
import type { Fact, FactOf } from '../../machines/events.ts'
import { cancelTurn, retryTurn, settleCall } from '../../machines/runtime/lifecycle.ts'
import { answerTurn, resolveHold } from '../../machines/runtime/resolve.ts'
import { hasEnded } from '../../machines/state.ts'
import type { Stage } from '../stage/stage.ts'
import { ANA } from './opening.ts'

/** Longer than a hold or an ask lives. */
const LIFETIME_MS = 8 * 86_400_000
const AS_ANA = { as: ANA, via: 'app' } as const
const AS_BOB = { as: { ...ANA, id: 'bob' }, via: 'app' } as const

/** True for facts that only people bring about, at any time while the turn is open. */
export function isOfPeople(fact: Fact): boolean {
  return fact.type.startsWith('approval.') || fact.type === 'turn.cancelling'
}

/** Does what leads to a fact, and to the one behind it. @returns false when nothing came of it */
export async function actFor(stage: Stage, fact: Fact, behind: Fact | undefined): Promise<boolean> {
  const { length } = await stage.events()
  try {
    await doFor(stage, fact, behind)
  } catch (thrown) {
    // Turned away, too late, not waiting for this: an answer that may be a fact all the same.
    if (!(thrown instanceof ToolturnError)) throw thrown
  }
  return (await stage.events()).length > length
}

async function doFor(stage: Stage, fact: Fact, behind: Fact | undefined): Promise<void> {
  const { ports, turnId } = stage
  switch (fact.type) {
    case 'approval.granted':
      return void (await resolveHold(ports, await holdOf(stage, fact.data.ordinal), approval(fact, behind), AS_ANA))
    case 'approval.denied':
      return void (await resolveHold(ports, await holdOf(stage, fact.data.ordinal), { kind: 'deny' }, AS_ANA))
    case 'approval.turned-away':
      return void (await resolveHold(ports, await holdOf(stage, fact.data.ordinal), { kind: 'approve' }, AS_BOB))
    case 'approval.expired':
      await ports.store.advance(LIFETIME_MS)
      return void (await resolveHold(ports, await holdOf(stage, fact.data.ordinal), { kind: 'approve' }, AS_ANA))
    case 'clarification.answered':
      return answerTurn(ports, turnId, 'blue', AS_ANA)
    case 'clarification.turned-away':
      return answerTurn(ports, turnId, 'blue', AS_BOB)
    case 'clarification.expired':
      await ports.store.advance(LIFETIME_MS)
      return answerTurn(ports, turnId, 'blue', AS_ANA)
    case 'turn.cancelling':
      return void (await cancelTurn(ports, turnId, AS_ANA))
    case 'call.settled': {
      const word = fact.data.settled === 'happened' ? { happened: 'ok' } : ({ didNotHappen: true, workerIsDead: true } as const)
      return settleCall(ports, turnId, fact.data.ordinal, word, AS_ANA)
    }
    case 'call.ended':
    case 'attempt.started':
      return hasEnded(await stage.state()) ? retryTurn(ports, turnId, { ...AS_ANA, despiteDoubt: true }) : undefined
    default:
      return undefined
  }
}

/** Edited to be the call before it, where it is to be a repeat. */
function approval({ data }: FactOf<'approval.granted'>, behind: Fact | undefined) {
  const approve = { kind: 'approve' } as const
  if (data.answers !== undefined) return { ...approve, answers: data.answers }
  return behind?.type === 'call.suppressed' ? { ...approve, arguments: { n: data.ordinal - 1 } } : approve
}

async function holdOf(stage: Stage, ordinal: number): Promise<string> {
  return (await stage.state()).calls.get(ordinal)?.hold?.approvalId ?? 'none'
}
