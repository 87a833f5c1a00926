// What must be so in the end: every turn came to its end, everything is published and consumed, and every stream replays to
// what it says.

import { resultOf } from '../../machines/blobs.ts'
import { replay } from '../../machines/replay.ts'
import { hasEnded, isMiss, stateName } from '../../machines/state.ts'
import { invocationId } from '../../machines/ids.ts'
import type { Runtime } from '../../machines/runtime/api.ts'
import { hasEnded as rowHasEnded, type MemoryTurn } from '../../store/memory-database.ts'
import { brokenBroker } from './bus-port.ts'
import type { Shelf } from './consumer.ts'
import type { Recorded } from './records.ts'
import { shortName, type Stage } from './stage.ts'

/** Why the run is not over yet; null when it is. */
export function unfinished(stage: Stage, shelf: Shelf): string | null {
  for (const turn of stage.database.turns.values()) {
    const why = unfinishedTurn(stage, turn, shelf)
    if (why !== null) return `${shortName(turn.turnId)}: ${why}`
  }
  return null
}

function unfinishedTurn(stage: Stage, turn: MemoryTurn, shelf: Shelf): string | null {
  const { state, version, published, turnId, owner, wakeAt, parked } = turn
  if (!rowHasEnded(turn))
    return `it is ${state} at version ${version}, owner ${owner ?? 'nobody'}, wakes at ${wakeAt}${parked ? ', parked' : ''}`
  if (published < version) return `versions behind ${published} of ${version} are not published`
  const seen = shelf.versions.get(turnId) ?? 0
  return stage.plan.consumers > 0 && seen < version ? `the consumer has seen version ${seen} of ${version}` : null
}

/** All that is broken once the run is over. */
export function brokenInTheEnd(stage: Stage): readonly string[] {
  const replayed = stage.records.all().flatMap(record => brokenReplay(stage, record).map(rule => `${shortName(record.turnId)}: ${rule}`))
  const truths = stage.records.all().flatMap(record => brokenTruth(stage, record).map(rule => `${shortName(record.turnId)}: ${rule}`))
  return [...brokenBroker(stage, true), ...replayed, ...truths]
}

/** What is recorded of effects is what happened. */
function brokenTruth(stage: Stage, { events, state, turnId }: Recorded): readonly string[] {
  if (state.opened.fork !== null) return []
  return events.flatMap(event => {
    const returned = event.type === 'call.recorded' && event.data.ended === 'returned'
    const settled = event.type === 'call.settled' && event.data.by === 'reconcile' && event.data.settled === 'happened'
    if (!returned && !settled) return []
    const { ordinal, tool } = event.data
    const effects = stage.effects.of(invocationId({ tenant: event.tenant, turnId, ordinal, tool }))?.effects ?? 0
    const reads = state.catalog.get(tool)?.replayPolicy === 'read-only'
    return effects === (reads ? 0 : 1)
      ? []
      : [`call ${ordinal} is recorded as done at version ${event.version}, and had ${effects} effects`]
  })
}

/** Every attempt replays: its requests are the recorded ones, and it ends as it ended, unless a record is not whole. */
function brokenReplay(stage: Stage, { turnId, state, requests }: Recorded): readonly string[] {
  const stored = (stage.database.turns.get(turnId)?.events ?? []).flatMap(event => (event === null ? [] : [event]))
  const broken: string[] = []
  const asked = requests.size
  for (let attempt = 1; attempt <= state.attempt; attempt += 1) {
    const result = replay(stored, { attempt, rowVersion: stored.length })
    const whole = stored.every(event => resultOf(event)?.truncated !== true)
    if (result.divergence !== null) broken.push(`D8: attempt ${attempt} diverges at version ${result.divergence.version}`)
    if (result.missing !== null && whole && ![...state.calls.values()].some(isMiss))
      broken.push(`D8: attempt ${attempt} misses version ${result.missing.version}`)
    if (attempt === state.attempt && result.same && result.state !== stateName(state)) broken.push('D8: the replay ends in another state')
  }
  if (requests.size !== asked) broken.push('D8: a replay changed what is stored')
  return broken
}

/** Whoever asks for the result of a turn that has ended is told. */
export async function brokenResults(stage: Stage, runtime: Runtime): Promise<readonly string[]> {
  const broken: string[] = []
  for (const { turnId, state } of stage.records.all()) {
    const handle = await runtime.get(turnId)
    const result = await handle.result()
    if (result.state !== stateName(state) || result.version < state.version)
      broken.push(`${shortName(turnId)}: its result is of another state`)
    const versions: number[] = []
    for await (const { version } of handle.events()) versions.push(version)
    const inOrder = versions.every((version, index) => version === index + 1)
    if (!inOrder || versions.length < state.version) broken.push(`${shortName(turnId)}: its events are ${versions.join(' ')}`)
    if (!hasEnded(state)) broken.push(`${shortName(turnId)}: it has not ended`)
  }
  return broken
}
