// What a turn's stream holds now: its events up to the version it has, and no waiting for more.

import type { Event } from '../../machines/events.ts'
import type { Runtime, TurnHandle } from '../../machines/runtime/api.ts'

/** @param after leaves out this version and those before it */
export async function* history(runtime: Runtime, turn: TurnHandle, after = 0): AsyncGenerator<Event> {
  const { version } = await runtime.show(turn.id, { tenant: turn.tenant })
  if (after >= version) return
  for await (const event of turn.events({ after })) {
    yield event
    if (event.version >= version) return
  }
}
