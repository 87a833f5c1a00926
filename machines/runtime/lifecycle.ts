// What people and operators do to a whole turn: cancel it, retry it, settle its doubt.

import { recordWhole } from '../blobs.ts'
import { endOpenCalls } from '../decide.ts'
import { ToolturnError } from '../errors.ts'
import type { Event } from '../events.ts'
import type { RecordedResult } from '../events/shapes.ts'
import type { Ports } from '../ports.ts'
import { contradicts } from '../recovery.ts'
import { redactResult } from '../redaction.ts'
import { normaliseResult } from '../result.ts'
import { callStateName, hasEnded, stateName, type CallState, type TurnState } from '../state.ts'
import type { As } from './api.ts'
import { readKnown, readPrincipal, readTurnId, readVia, refuse } from './door.ts'
import { partyOf } from './resolve.ts'
import { writeUnowned, type Written } from './unowned.ts'

type Options = As & { readonly tenant?: string | undefined }

/** Whoever acts on a whole turn. Any lane may, so one that is not named is recorded as the application's. */
function readActing(given: Options, more: readonly string[] = []) {
  const { as, via = 'app', tenant } = readKnown('options', given, ['as', 'via', 'tenant', ...more])
  return { by: readPrincipal('as', as), via: readVia(via), tenant }
}

/** Begins to cancel a turn; its owner, or the next one, brings it to its end (G4). Cancelling twice is cancelling once. */
export async function cancelTurn(ports: Ports, turnId: string, given: Options): Promise<readonly Event[]> {
  const { by, via, tenant } = readActing(given)
  const { events } = await writeUnowned(ports, readTurnId(turnId), tenant, partyOf(by), ({ state }): Written => {
    if (hasEnded(state)) throw new ToolturnError('turn_not_open', '', { turnId, state: stateName(state) })
    if (stateName(state) === 'cancelling') return { facts: [] }
    return { facts: [{ type: 'turn.cancelling', data: { by, via } }] }
  })
  return events
}

/**
 * Starts a new attempt: nothing recorded before is served to it (D7).
 *
 * @throws ToolturnError `turn_not_retryable`
 */
export async function retryTurn(ports: Ports, turnId: string, options: Options & { readonly despiteDoubt?: boolean }): Promise<void> {
  const { by, tenant } = readActing(options, ['despiteDoubt'])
  const despiteDoubt = options.despiteDoubt === true
  await writeUnowned(ports, readTurnId(turnId), tenant, partyOf(by), ({ state }): Written => {
    const name = stateName(state)
    if (name !== 'failed' && name !== 'exhausted' && name !== 'cancelled')
      throw new ToolturnError('turn_not_retryable', '', { turnId, state: name })
    if (inDoubt(state) && !despiteDoubt) {
      throw new ToolturnError('turn_not_retryable', 'A call of the turn is in doubt: its effect may happen again.', {
        turnId,
        code: state.end?.code,
      })
    }
    return { facts: [...endOpenCalls(state, 'retried'), { type: 'attempt.started', data: { attempt: state.attempt + 1, despiteDoubt } }] }
  })
}

function inDoubt(state: TurnState): boolean {
  return state.chart.context.inDoubt || state.end?.code === 'round_outcome_unknown'
}

/** An operator's word on a call in doubt. */
export type Settlement = { readonly happened: unknown } | { readonly didNotHappen: true; readonly workerIsDead: true }

/**
 * Settles a doubt by name; the same attempt goes on (D6).
 *
 * @throws ToolturnError `call_not_in_doubt`; `option_invalid` where it did not happen and nobody says that the worker is dead
 */
export async function settleCall(ports: Ports, turnId: string, ordinal: number, settlement: Settlement, options: Options): Promise<void> {
  const { by, tenant } = readActing(options, ['happened', 'didNotHappen', 'workerIsDead'])
  const happened = 'happened' in settlement
  if (!happened && settlement.didNotHappen !== true) refuse('didNotHappen', '`happened` with the result, or `didNotHappen: true`')
  if (!happened && settlement.workerIsDead !== true)
    refuse('workerIsDead', 'the statement that the worker is dead, so that it cannot happen any more')
  await writeUnowned(ports, readTurnId(turnId), tenant, partyOf(by), async ({ state }): Promise<Written> => {
    const call = state.calls.get(ordinal)
    if (call === undefined || !state.chart.context.inDoubt || callStateName(call) !== 'dispatched') {
      throw new ToolturnError('call_not_in_doubt', '', { turnId, ordinal, state: stateName(state) })
    }
    const data = {
      ordinal,
      tool: call.item.name,
      dispatch: call.chart.context.dispatch,
      by: 'operator' as const,
      contentTrust: state.catalog.get(call.item.name)?.contentTrust ?? ('untrusted' as const),
    }
    if (!happened) return { facts: [{ type: 'call.settled', data: { ...data, settled: 'did-not-happen' } }] }
    const recorded = await recordGiven(ports, state, call, settlement.happened)
    if (contradicts(state, call, recorded)) {
      throw new ToolturnError('replay_source_missing', 'Later rounds were given another result of this call.', { turnId, ordinal })
    }
    return { facts: [{ type: 'call.settled', data: { ...data, settled: 'happened', recorded } }] }
  })
}

/** What an operator says the result was, as any result is recorded. */
function recordGiven(ports: Ports, state: TurnState, call: CallState, given: unknown): Promise<RecordedResult> {
  const descriptor = state.catalog.get(call.item.name)
  const result = normaliseResult(given)
  const redacted = descriptor === undefined ? result : redactResult(ports.redactor, descriptor, result)
  return recordWhole(ports, state, call, redacted)
}
