// One call of a tool: started only after its intent is committed, recorded before anything follows from it (D2).

import { ToolturnError } from '../errors.ts'
import { cancelled, exhaust, failInDoubt } from '../decide.ts'
import { invocationId } from '../ids.ts'
import { inquiryIn, mayInquire } from '../inquiry.ts'
import type { JsonObject } from '../json.ts'
import { redactLine } from '../redaction.ts'
import { unaskedText } from '../repair.ts'
import { contradicts, failContradicted } from '../recovery.ts'
import { callStateName, stateName, type CallState, type TurnState } from '../state.ts'
import type { CallContext, Tool, ToolDescriptor } from '../tool.ts'
import { ActorStopped, workedSoFar, type Actor, type Running } from './actor.ts'
import { backoff, waitFor } from './backoff.ts'
import { AppendRefused, commit } from './commit.ts'
import { follow } from './follow.ts'
import { inquiredFact, inquiredOf } from './inquire.ts'
import { aborted, abortedWith, DONE } from './signals.ts'
import { hostError, recordLate, recordedFact, type RunEnd, type TryEnd } from './outcome.ts'
import { wholeArguments } from './wholes.ts'

/**
 * Runs a call whose intent this process has just committed, and records its result.
 *
 * Not started: when the lease is over or the intent is older than `limits.startWithinMs`; the call is in doubt at once then.
 */
export async function runCall(actor: Actor, call: CallState): Promise<void> {
  const running = actor.running.get(call.ordinal)
  const tool = actor.judged.get(call.ordinal)
  const args = inquiredOf(actor, call) === null ? null : await wholeArguments(actor, call)
  if (running === undefined || tool === undefined || args === null || tooLate(actor, running)) {
    actor.running.delete(call.ordinal)
    return
  }
  if (!actor.control.mayAct()) throw new ActorStopped('lease-lost')
  const end = await tryUntilDone(actor, call, running, tool, args)
  await record(actor, call, running, tool, end)
}

/** Counted from before the intent was sent: when it was committed is not known here, its answer may have been long in coming. */
function tooLate(actor: Actor, running: Running): boolean {
  return actor.ports.clock.monotonic() - running.sentAt > actor.state.opened.limits.startWithinMs
}

/** Tries until the tool returns, or its tries are used up: then the last error is the result. */
async function tryUntilDone(actor: Actor, call: CallState, running: Running, tool: Tool, args: JsonObject): Promise<RunEnd> {
  const tries = triesOf(actor, tool.descriptor)
  for (let number = call.failedTries + 1; ; number += 1) {
    const end = await runOnce(actor, call, running, tool, args, number)
    const again = (end.ended === 'thrown' || end.ended === 'timeout') && number < tries && !actor.interrupt.signal.aborted
    if (!again) return { ...end, tries: number }
    const backoffMs = backoff(number, undefined, actor.ports.random.fraction())
    const kind = end.ended === 'timeout' ? 'timeout' : 'thrown'
    const { ordinal, dispatch } = running
    await commit(actor, draft => draft.put({ type: 'call.failed', data: { ordinal, dispatch, try: number, kind, backoffMs } }))
    await waitFor(actor, backoffMs)
    // Cancelled while it waited: what the last try gave is the result, and nothing is started any more (G4).
    if (actor.interrupt.signal.aborted) return { ...end, tries: number }
  }
}

/** A tool that is at-most-once is tried once, whatever its descriptor says. */
function triesOf(actor: Actor, descriptor: ToolDescriptor): number {
  return descriptor.replayPolicy === 'at-most-once' ? 1 : Math.min(descriptor.tries, actor.state.opened.limits.toolTries)
}

const TIMED_OUT = new Error('the tool timed out')

async function runOnce(actor: Actor, call: CallState, running: Running, tool: Tool, args: JsonObject, number: number): Promise<TryEnd> {
  const done = new AbortController()
  const interrupt = abortedWith(actor.interrupt.signal, done.signal)
  const context = callContext(actor, call, running, number, interrupt.signal)
  const result = Promise.resolve()
    .then(() => tool.run(args, context))
    .then(
      (value): TryEnd => ({ ended: 'returned', value }),
      (value: unknown): TryEnd => ({ ended: 'thrown', value }),
    )
  const late = actor.ports.clock.sleep(tool.descriptor.timeoutMs, done.signal).then((): TryEnd => ({ ended: 'timeout', value: undefined }))
  const letGo = aborted(actor.stopped.signal, done.signal)
  try {
    const end = await Promise.race([result, late, letGo])
    if (end === 'aborted') throw new ActorStopped(actor.control.mayAct() ? 'drained' : 'lease-lost')
    if (end.ended === 'timeout') {
      interrupt.abort(TIMED_OUT)
      watchLate(actor, running, tool, result)
      return end
    }
    return end.ended === 'thrown' && interrupt.signal.aborted ? { ended: 'aborted', value: end.value } : end
  } finally {
    done.abort(DONE)
  }
}

/** What the tool, or its `reconcile`, is told about the call. */
export function callContext(actor: Actor, call: CallState, running: Running, number: number, signal: AbortSignal): CallContext {
  const { state, ports, turnId } = actor
  const { labels, principal } = state.opened
  const { ordinal, dispatch } = running
  const inquired = inquiredOf(actor, call)
  return {
    invocationId: invocationId({ tenant: state.tenant, turnId, ordinal, tool: call.item.name }),
    dispatch,
    try: number,
    attempt: state.attempt,
    ordinal,
    turnId,
    tenant: state.tenant,
    labels,
    principal,
    mayInquire: mayInquire(state, call),
    ...(inquired === undefined || inquired === null ? {} : { inquired }),
    signal,
    log: (message, fields) => {
      const line = redactLine(ports.redactor, message, fields)
      ports.log.info(line.message, { ...line.fields, turnId, ordinal, tool: call.item.name })
    },
  }
}

/** A completion after its call was settled otherwise is recorded once, as late, and changes nothing. */
function watchLate(actor: Actor, running: Running, tool: Tool, result: Promise<TryEnd>): void {
  const { log } = actor.ports
  void result
    .then(end => recordLate(actor, running, tool, end))
    .catch(() => log.warn('a late completion could not be recorded', { turnId: actor.turnId, ordinal: running.ordinal }))
}

/** Records the result, or what the tool wants to know first, and what follows from it, in one append. */
async function record(actor: Actor, call: CallState, running: Running, tool: Tool, end: RunEnd): Promise<void> {
  const inquiry = end.ended === 'returned' ? inquiryIn(end.value) : null
  const inquired = inquiry === null ? null : inquiredFact(actor, call, running, inquiry)
  const fact = await recordedFact(actor, call, running, tool, inquiry === null ? end : { ...end, value: hostError(unaskedText()) })
  for (;;) {
    try {
      const appended = await commit(actor, async draft => {
        if (!isStill(draft.state(), running)) return
        const asks = inquired !== null && mayInquire(draft.state(), call) && stateName(draft.state()) !== 'cancelling'
        draft.put(asks ? inquired : fact)
        actor.running.delete(call.ordinal)
        if (!asks && contradicts(draft.state(), call, fact.data)) return draft.put(...failContradicted(draft.state()))
        if (actor.running.size === 0) await follow(actor, draft, new Set())
      })
      if (appended.length > 0) return
      actor.running.delete(call.ordinal)
      return await recordLate(actor, running, tool, end)
    } catch (thrown) {
      if (!(thrown instanceof AppendRefused)) throw thrown
      actor.ports.log.error('the store refused the record of a result', { turnId: actor.turnId, ordinal: call.ordinal })
      if (!mayTryAgain(actor, tool)) return failRecord(actor, call, running, tool, thrown)
      actor.running.set(call.ordinal, running)
      await actor.ports.clock.sleep(REFUSED_WAIT_MS, actor.stopped.signal)
    }
  }
}

/** False once a read beside it has ended the turn, and the call with it. */
function isStill(state: TurnState, { ordinal, dispatch }: Running): boolean {
  const call = state.calls.get(ordinal)
  return call !== undefined && callStateName(call) === 'dispatched' && call.chart.context.dispatch === dispatch
}

const REFUSED_WAIT_MS = 250

/** The record of a read waits for the store, as long as the turn has time; a tool with effects fails the turn (D2). */
function mayTryAgain(actor: Actor, tool: Tool): boolean {
  return tool.descriptor.replayPolicy === 'read-only' && workedSoFar(actor) < actor.state.opened.limits.turnTimeoutMs
}

async function failRecord(actor: Actor, call: CallState, running: Running, tool: Tool, refusal: AppendRefused): Promise<void> {
  const message = `Call ${call.ordinal} ran and the store refused the record of its result.`
  const readOnly = tool.descriptor.replayPolicy === 'read-only'
  try {
    await commit(actor, draft => {
      const state = draft.state()
      if (!isStill(state, running)) return
      if (!readOnly) return draft.put(...failInDoubt(call, 'tool_record_failed', message))
      draft.put(...(stateName(state) === 'cancelling' ? cancelled(state) : exhaust(state, 'turnTimeoutMs')))
    })
  } catch (thrown) {
    if (!(thrown instanceof AppendRefused)) throw thrown
    // Not even the failure can be recorded: the next owner finds the call in doubt.
    throw new ActorStopped('record-failed', new ToolturnError('tool_record_failed', message, { turnId: actor.turnId }, refusal))
  }
}
