// The loop: look at the state, perform the one effect it asks for, decide, append, step. Live running and recovery are the same.

import { expiredHolds } from '../approval.ts'
import { askExpiry } from '../clarification.ts'
import { pending, type Effect } from '../effects.ts'
import { fail } from '../decide.ts'
import { ToolturnError } from '../errors.ts'
import { project } from '../projection.ts'
import type { CallState } from '../state.ts'
import { ActorStopped, stopActor, type Actor, type StopReason } from './actor.ts'
import { askModel } from './ask.ts'
import { commit, refresh } from './commit.ts'
import { beginsAnew, follow } from './follow.ts'
import { runCall } from './run.ts'
import { recoverLost, settleInDoubt } from './settle.ts'

/** How a drive came to an end: the turn ended or rests for a person, or the worker let go of it. */
export type DriveEnd = 'ended' | 'rests' | StopReason

/** Drives a turn until it ends, rests, or the worker has to let go of it. */
export async function drive(actor: Actor): Promise<DriveEnd> {
  try {
    for (let idle = 0; idle < IDLE_LIMIT; ) {
      const { version } = actor.state
      const end = await perform(actor, pending(actor.state))
      if (end !== null) return end
      idle = actor.state.version === version ? idle + 1 : 0
    }
    throw new ToolturnError('internal', 'The loop made no headway.', { turnId: actor.turnId, effect: pending(actor.state).kind })
  } catch (thrown) {
    if (thrown instanceof ActorStopped) return thrown.reason
    throw thrown
  } finally {
    stopActor(actor)
  }
}

/** Steps of the loop without a new event after which something is wrong with us. */
const IDLE_LIMIT = 1000

/** Performs one effect. @returns null when the loop goes on */
async function perform(actor: Actor, effect: Effect): Promise<DriveEnd | null> {
  if (!actor.control.mayAct()) return 'lease-lost'
  if (actor.lost.size > 0 && beginsAnew(effect)) {
    if (actor.control.draining()) return letGo(actor)
    await recoverLost(actor)
    return null
  }
  switch (effect.kind) {
    case 'ask-model':
      if (actor.control.draining()) return letGo(actor)
      await askModel(actor)
      return null
    case 'round-in-doubt':
      await commit(actor, draft => {
        const message = 'A round with provider-executed effects was asked for and its answer was not recorded.'
        if (pending(draft.state()).kind === 'round-in-doubt') draft.put(...fail(draft.state(), 'round_outcome_unknown', message))
      })
      return null
    case 'settle':
      return settle(actor, effect.calls)
    case 'dispatch':
      if (actor.control.draining()) return letGo(actor)
      await dispatch(actor)
      return null
    case 'conclude':
    case 'judge':
    case 'ask-person':
    case 'ask-expired':
    case 'cancel':
      await commit(actor, draft => follow(actor, draft, new Set()))
      return null
    case 'await-approval':
    case 'await-answer':
      return rest(actor)
    case 'none':
      return (await release(actor, null)) ? 'ended' : null
  }
}

/** Commits the intents of the calls that may start, or the verdicts that came instead. */
async function dispatch(actor: Actor): Promise<void> {
  await commit(actor, draft => follow(actor, draft, new Set()))
}

/** Settles what this process only found, then runs what it may start. While it drains the doubts are the next owner's. */
async function settle(actor: Actor, calls: readonly CallState[]): Promise<DriveEnd | null> {
  const started = calls.filter(call => actor.running.has(call.ordinal))
  if (started.length < calls.length && !actor.control.draining()) {
    await settleInDoubt(
      actor,
      calls.filter(call => !started.includes(call)),
    )
    return null
  }
  if (started.length === 0) return letGo(actor)
  await Promise.all(started.map(call => runCall(actor, call)))
  return null
}

/** Nothing is left to do until a person acts, or a deadline passes: the turn takes no memory, no lease and no connection. */
async function rest(actor: Actor): Promise<DriveEnd | null> {
  if (actor.released) return 'rests'
  const now = await actor.ports.store.now()
  const expired = await commit(actor, draft => {
    const state = draft.state()
    const effect = pending(state)
    if (effect.kind === 'await-approval') draft.put(...expiredHolds(state, now))
    if (effect.kind === 'await-answer' && now >= effect.deadline && state.ask !== null) draft.put(askExpiry(state.ask))
    if (!draft.isEmpty()) return follow(actor, draft, new Set())
  })
  if (expired.length > 0) return null
  const { wakeAt } = project(actor.state)
  return (await release(actor, wakeAt)) ? 'rests' : null
}

/** Lets go in one statement, where the epoch is mine and the version is the one I folded; else what moved is read first. */
async function release(actor: Actor, wakeAt: 'now' | number | null): Promise<boolean> {
  if (actor.released) return true
  const { version } = actor.state
  if (await actor.ports.store.release(actor.turnId, actor.epoch, version, wakeAt)) {
    actor.released = true
    return true
  }
  await refresh(actor)
  if (actor.state.version === version) throw new ActorStopped('fenced')
  return false
}

/** The worker drains: another one goes on from here. */
async function letGo(actor: Actor): Promise<DriveEnd | null> {
  return (await release(actor, 'now')) ? 'drained' : null
}
