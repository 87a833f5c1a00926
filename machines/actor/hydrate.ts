// Right before the model is asked: results that are kept beside the record are put in whole, or the turn fails for want of one.

import { withWholeResults } from '../blobs.ts'
import { fail } from '../decide.ts'
import { errorName } from '../errors.ts'
import { stateName, type CallState, type TurnState } from '../state.ts'
import { workedSoFar, type Actor } from './actor.ts'
import { backoff, waitFor } from './backoff.ts'
import { commit } from './commit.ts'

/**
 * The state to ask from. A blob store that fails is asked again for as long as the turn has time.
 *
 * @returns null when the model is not to be asked: the turn failed, is being cancelled or is out of time, or the worker drains
 */
export async function hydrate(actor: Actor, state: TurnState): Promise<TurnState | null> {
  const { ports, turnId } = actor
  for (let tries = 1; mayWait(actor); tries += 1) {
    const whole = await withWholeResults(state, ports).catch((error: unknown) => {
      ports.log.warn('whole results could not be loaded', { turnId, error: errorName(error) })
      return null
    })
    if (whole?.gone === null) return whole.state
    if (whole !== null) {
      await failWithout(actor, whole.gone)
      return null
    }
    await waitFor(actor, backoff(tries, undefined, ports.random.fraction()))
  }
  return null
}

function mayWait(actor: Actor): boolean {
  const { interrupt, control, state } = actor
  return !interrupt.signal.aborted && !control.draining() && workedSoFar(actor) < state.opened.limits.turnTimeoutMs
}

async function failWithout(actor: Actor, { ordinal }: CallState): Promise<void> {
  const message = `Call ${ordinal} did complete, but its whole result is not in the blob store any more.`
  await commit(actor, draft => {
    if (stateName(draft.state()) === 'thinking') draft.put(...fail(draft.state(), 'replay_source_missing', message))
  })
}
