// The whole results of a fork: kept again as its own, so that erasing one of the two turns leaves the other whole (D9, D13).

import { loadBlob, putBlob } from './blobs.ts'
import { ToolturnError } from './errors.ts'
import type { Fact } from './events.ts'
import type { RecordedResult } from './events/shapes.ts'
import type { Ports } from './ports.ts'
import type { TurnState } from './state.ts'

/**
 * The copied facts, each result that is kept beside its record under the fork's name.
 *
 * @param cut the source, folded up to where it is cut. Records of its earlier attempts are never served, and stay as they are
 * @param turnId of the fork
 * @throws ToolturnError `replay_source_missing` where a whole result is not there any more; `store_unreachable`
 */
export async function withOwnBlobs(facts: readonly Fact[], cut: TurnState, turnId: string, ports: Ports): Promise<readonly Fact[]> {
  const own: Fact[] = []
  for (const fact of facts) own.push(await withOwnBlob(fact, cut, turnId, ports))
  return own
}

async function withOwnBlob(fact: Fact, cut: TurnState, turnId: string, ports: Ports): Promise<Fact> {
  if (fact.type === 'call.recorded' && isServed(fact.data, cut)) {
    return { ...fact, data: { ...fact.data, blob: await copyBlob(fact.data, fact.data.ordinal, cut, turnId, ports) } }
  }
  if (fact.type !== 'call.settled' || fact.data.recorded === undefined) return fact
  const { recorded, ordinal } = fact.data
  if (!isServed({ ...recorded, ordinal }, cut)) return fact
  return { ...fact, data: { ...fact.data, recorded: { ...recorded, blob: await copyBlob(recorded, ordinal, cut, turnId, ports) } } }
}

function isServed({ blob, ordinal }: RecordedResult & { readonly ordinal: number }, cut: TurnState): boolean {
  return blob !== undefined && cut.calls.has(ordinal)
}

async function copyBlob(recorded: RecordedResult, ordinal: number, cut: TurnState, turnId: string, ports: Ports): Promise<string> {
  const bytes = await loadBlob(ports, cut.turnId, recorded)
  if (bytes === null || ports.blobs === null) {
    const message = `The whole result of call ${ordinal} is not in the blob store any more.`
    throw new ToolturnError('replay_source_missing', message, { turnId: cut.turnId, ordinal })
  }
  return putBlob(ports.blobs, ports.clock, turnId, recorded.digest, bytes)
}
