// Those who wait for a turn while faults happen: what they are told must be so.

import type { TurnHandle } from '../../machines/runtime/api.ts'
import { shortName, type Stage } from './stage.ts'

/** A result is told when the turn ended or rests, and is of that moment. */
export async function awaitResult(stage: Stage, handle: TurnHandle): Promise<void> {
  const { state, version } = await handle.result()
  const told = `${shortName(handle.id)}: the result at version ${version} is ${state}`
  if (stage.records.of(handle.id)?.written[version - 1]?.rests !== true) stage.broken(`${told}, and the turn did not rest there`)
}

/** Events are told once each, in order, to the end of the turn. */
export async function followEvents(stage: Stage, handle: TurnHandle): Promise<void> {
  let last = 0
  for await (const { version } of handle.events()) {
    if (version !== last + 1) stage.broken(`${shortName(handle.id)}: version ${version} is told behind version ${last}`)
    last = version
  }
  if (stage.records.of(handle.id)?.written[last - 1]?.rests !== true)
    stage.broken(`${shortName(handle.id)}: its events end at version ${last}`)
}
