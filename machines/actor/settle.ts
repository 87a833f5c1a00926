// Calls in doubt: dispatched on the record, and neither recorded nor running here. The recovery table decides.

import { dispatchFact, exhaust, fail } from '../decide.ts'
import { contradicts, failContradicted, recoverMiss, settleDoubt, type ReconcileAnswer } from '../recovery.ts'
import type { JsonObject } from '../json.ts'
import { callStateName, hasEnded, isMiss, type CallState } from '../state.ts'
import { pending } from '../effects.ts'
import type { Tool } from '../tool.ts'
import { ActorStopped, type Actor } from './actor.ts'
import { commit } from './commit.ts'
import { beginsAnew, follow, outOfTime } from './follow.ts'
import { recordResult } from './outcome.ts'
import { callContext } from './run.ts'
import { aborted, DONE } from './signals.ts'
import { inquiredOf } from './inquire.ts'
import { offeredTool } from './tools.ts'
import { wholeArguments } from './wholes.ts'

/** Settles the calls of the state that are in doubt, each by the recovery table. */
export async function settleInDoubt(actor: Actor, calls: readonly CallState[]): Promise<void> {
  for (const call of calls) {
    const answer = await reconcile(actor, call)
    const whole = inquiredOf(actor, call) === null ? null : await wholeArguments(actor, call)
    const tool = offeredTool(actor, actor.state, call)
    const canRun = whole !== null && tool !== null && !actor.control.draining()
    if (!canRun && actor.control.draining()) return
    await commit(actor, async draft => {
      const current = draft.state().calls.get(call.ordinal)
      // A doubt before this one may have failed the turn.
      if (hasEnded(draft.state()) || actor.running.has(call.ordinal)) return
      if (current === undefined || callStateName(current) !== 'dispatched') return
      if (tool !== null) actor.judged.set(call.ordinal, tool)
      draft.put(...settleDoubt(draft.state(), current, answer, canRun))
      if (answer.kind === 'happened' && contradicts(draft.state(), current, answer.recorded)) {
        return draft.put(...failContradicted(draft.state()))
      }
      if (answer.kind !== 'unknown' && pending(draft.state()).kind !== 'settle') await follow(actor, draft, new Set())
    })
  }
}

/** Asks the tool what became of the dispatch. No tool, no answer, a throw or a timeout: unknown. */
async function reconcile(actor: Actor, call: CallState): Promise<ReconcileAnswer> {
  const tool = actor.ports.tools.get(call.item.name)
  const args = await wholeArguments(actor, call)
  if (tool?.reconcile === undefined || args === null || tool.descriptor.replayPolicy === 'read-only') return { kind: 'unknown' }
  const answer = await askTool(actor, call, tool, tool.reconcile, args)
  if (answer === 'did-not-happen') return { kind: 'did-not-happen' }
  if (typeof answer !== 'object' || answer === null || !('happened' in answer)) return { kind: 'unknown' }
  return { kind: 'happened', recorded: await recordResult(actor, call, tool, { ended: 'returned', value: answer.happened }) }
}

function reconcileContext(actor: Actor, call: CallState) {
  const running = { ordinal: call.ordinal, dispatch: call.chart.context.dispatch, sentAt: 0 }
  return callContext(actor, call, running, Math.max(1, call.failedTries), actor.stopped.signal)
}

type Reconcile = NonNullable<Tool['reconcile']>

/** A throw, at once or later, and a timeout are no answer. @throws ActorStopped when the worker lets go meanwhile */
async function askTool(actor: Actor, call: CallState, tool: Tool, reconcile: Reconcile, args: JsonObject): Promise<unknown> {
  const { clock, log } = actor.ports
  const done = new AbortController()
  const asked = Promise.resolve()
    .then(() => reconcile.call(tool, args, reconcileContext(actor, call)))
    .catch(() =>
      log.warn('reconcile failed; the call stays in doubt', { turnId: actor.turnId, ordinal: call.ordinal, tool: call.item.name }),
    )
  const tooLong = clock.sleep(tool.descriptor.timeoutMs, done.signal)
  try {
    const answer = await Promise.race([asked, tooLong, aborted(actor.stopped.signal, done.signal)])
    if (actor.stopped.signal.aborted) throw new ActorStopped(actor.control.mayAct() ? 'drained' : 'lease-lost')
    return answer
  } finally {
    done.abort(DONE)
  }
}

/**
 * Records that are only short forms are no records to a worker that takes a turn over (D9): the first such call runs again where
 * its policy permits and its real arguments are there, else the turn fails.
 */
export async function recoverLost(actor: Actor): Promise<void> {
  const [ordinal = 0] = actor.lost
  const lost = actor.state.calls.get(ordinal)
  const tool = lost === undefined ? null : offeredTool(actor, actor.state, lost)
  const canRun = lost !== undefined && tool !== null && (await wholeArguments(actor, lost)) !== null
  await commit(actor, draft => {
    const state = draft.state()
    const call = state.calls.get(ordinal)
    if (call === undefined || !isMiss(call) || !beginsAnew(pending(state))) return
    if (outOfTime(actor, state)) return draft.put(...exhaust(state, 'turnTimeoutMs'))
    if (tool !== null) actor.judged.set(ordinal, tool)
    if (canRun && recoverMiss(state, call) === 'run-again') return draft.put(dispatchFact(state, call))
    const message = `Call ${ordinal} did complete, but its result was over the record size and cannot be served.`
    draft.put(...fail(state, 'replay_source_missing', message))
  })
  actor.lost.delete(ordinal)
}
