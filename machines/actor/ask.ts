// One ask of the model: sent once its state is committed, recorded before anything of it is acted on.

import { admit } from '../admission.ts'
import { endOpenCalls, fail } from '../decide.ts'
import { requestDigest } from '../digest.ts'
import { errorName, ToolturnError } from '../errors.ts'
import type { Fact } from '../events.ts'
import { isModelFailure, type AskContext, type Model, type ModelFailure, type ModelRequest, type ModelRound } from '../ports/model.ts'
import { readRound } from '../model-round.ts'
import { redactBounded } from '../redaction.ts'
import { roundFact } from '../round.ts'
import { pausedText } from '../round-text.ts'
import { stateName, type TurnState } from '../state.ts'
import { modelRequest } from '../transcript.ts'
import { ActorStopped, workedSoFar, type Actor } from './actor.ts'
import { backoff, waitFor } from './backoff.ts'
import { commit } from './commit.ts'
import { follow, gateHost } from './follow.ts'
import { hydrate } from './hydrate.ts'
import { redactedDeltas } from './progress.ts'
import { aborted, abortedWith, DONE } from './signals.ts'

/** Asks for the next round and records what came of it: a round with its verdicts, or a failed try. */
export async function askModel(actor: Actor): Promise<void> {
  const { model } = actor.ports
  if (model === null) throw new ToolturnError('option_invalid', 'This runtime has no model, so it cannot drive turns.', { option: 'model' })
  const stopped = await commit(actor, draft => follow(actor, draft, new Set()))
  if (stopped.length > 0) return
  const { state } = actor
  const whole = await hydrate(actor, state)
  if (whole === null) return
  if (isEffect(state) && !state.chart.context.requested && !(await commitRequest(actor, state))) return
  const request = modelRequest(state)
  // The record binds whole results by their digests, so the request is digested with the short forms that stand in it (D9).
  const asked = await ask(actor, model, whole === state ? request : modelRequest(whole))
  if (asked === null) return
  if (isModelFailure(asked)) return recordFailure(actor, asked)
  await recordRound(actor, asked, requestDigest(request))
}

/** A round that lets the provider run tools with effects is an effect of its own (F5). */
function isEffect(state: TurnState): boolean {
  return state.opened.providerTools.some(tool => tool.replayPolicy !== 'read-only')
}

/**
 * Commits the intent of a round that is an effect. Like that of a tool it is acted on under the lease and soon, or not at all (D2).
 *
 * @returns false when the round is not to be asked for any more
 */
async function commitRequest(actor: Actor, state: TurnState): Promise<boolean> {
  const { clock } = actor.ports
  const sentAt = clock.monotonic()
  await commit(actor, draft => {
    const request = requestDigest(modelRequest(draft.state()))
    if (stateName(draft.state()) === 'thinking') draft.put({ type: 'round.requested', data: { round: state.rounds.length + 1, request } })
  })
  if (!actor.control.mayAct()) throw new ActorStopped('lease-lost')
  return stateName(actor.state) === 'thinking' && clock.monotonic() - sentAt <= state.opened.limits.startWithinMs
}

const OUT_OF_TIME = new Error('out of working time')

/** @returns null when the ask was aborted: by a cancel, by the end of the turn's time, or because the worker stops */
async function ask(actor: Actor, model: Model, request: ModelRequest): Promise<ModelRound | ModelFailure | null> {
  const { state, turnId } = actor
  const round = state.rounds.length + 1
  const answered = new AbortController()
  const asking = abortedWith(actor.interrupt.signal, answered.signal)
  const left = state.opened.limits.turnTimeoutMs - workedSoFar(actor)
  void actor.ports.clock.sleep(left, answered.signal).then(() => asking.abort(OUT_OF_TIME))
  const tell = (delta: Parameters<AskContext['onDelta']>[0]): void =>
    actor.control.onProgress({ tenant: state.tenant, turnId, round, ...delta })
  const deltas = redactedDeltas(actor.ports.redactor, pausedText(state), tell)
  const context: AskContext = {
    turnId,
    attempt: state.attempt,
    round,
    try: state.failedTries + 1,
    signal: asking.signal,
    purpose: 'live',
    onDelta: deltas.onDelta,
  }
  // A throw before the first wait is a failure like any other.
  const answer = Promise.resolve().then(() => model.ask(request, context))
  try {
    // An adapter that does not heed its signal is not waited for.
    const first = await Promise.race([answer, aborted(asking.signal, answered.signal)])
    return first === 'aborted' ? null : readRound(first, state.opened.providerTools)
  } catch (thrown) {
    return asking.signal.aborted ? null : failureOf(actor, thrown)
  } finally {
    deltas.end()
    answered.abort(DONE)
    answer.catch(() => undefined)
  }
}

/** An adapter that throws something else than it may is treated as a model that could not be reached. */
function failureOf(actor: Actor, thrown: unknown): ModelFailure {
  if (isModelFailure(thrown)) return thrown
  actor.ports.log.error('the model adapter threw', { turnId: actor.turnId, error: errorName(thrown) })
  return { modelFailure: true, kind: 'protocol', final: false, code: 'model_unavailable', message: 'The adapter of the model failed.' }
}

async function recordRound(actor: Actor, round: ModelRound, request: string): Promise<void> {
  await commit(actor, async draft => {
    const state = draft.state()
    const admitted = await admit(round, state, gateHost(actor), actor.ports.store.time())
    const fact = roundFact(round, state, request, admitted, actor.ports.redactor)
    if (stateName(state) === 'cancelling') return recordCancelledRound(draft.put, fact, draft.state)
    if (stateName(state) !== 'thinking') return
    for (const call of admitted) if (call.whole !== null) actor.wholes.set(call.fact.data.ordinal, call.whole)
    draft.put(fact, ...admitted.map(call => call.fact))
    await follow(actor, draft, new Set(admitted.map(call => call.fact.data.ordinal)))
  })
}

/** The answer came although a cancel was first: it is a fact, and nothing of it goes on. */
function recordCancelledRound(put: (...facts: readonly Fact[]) => void, fact: Fact, state: () => TurnState): void {
  put(fact)
  put(...endOpenCalls(state(), 'turn-ended'), { type: 'turn.cancelled', data: {} })
}

/** Longest message of a failure that is kept. */
const FAILURE_CHARACTERS = 500

async function recordFailure(actor: Actor, failure: ModelFailure): Promise<void> {
  const tries = actor.state.failedTries + 1
  const final = failure.final || tries >= actor.state.opened.limits.modelTries
  const backoffMs = final ? 0 : backoff(tries, failure.retryAfterMs, actor.ports.random.fraction())
  await commit(actor, draft => {
    const state = draft.state()
    if (stateName(state) !== 'thinking') return
    const { kind, status } = failure
    const message = redactBounded(actor.ports.redactor, failure.message, FAILURE_CHARACTERS)
    draft.put({
      type: 'round.failed',
      data: { round: state.rounds.length + 1, try: tries, kind, backoffMs, ...(status === undefined ? {} : { status }) },
    })
    if (final) draft.put(...fail(draft.state(), failure.code, message, status))
  })
  if (!final) await waitFor(actor, backoffMs)
}
