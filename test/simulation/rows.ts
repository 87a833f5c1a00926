// What stands beside a stream: its row, its place in the inbox, its sealed arguments. All of it follows from the stream.

import { canonicalJson } from '../../machines/json.ts'
import type { Append, OpenTurn } from '../../machines/ports/store.ts'
import { project } from '../../machines/projection.ts'
import { callStateName, openCalls, stateName, type TurnState } from '../../machines/state.ts'
import type { MemoryDatabase, MemoryTurn } from '../../store/memory-database.ts'
import type { Recorded } from './records.ts'

/** The row shows what the stream says, and the writer held the same state as we do. */
export function brokenRow(record: Recorded, row: MemoryTurn, write: Append | OpenTurn): readonly string[] {
  const { state } = record
  const shown = project(state)
  const unowned = 'epoch' in write ? write.epoch === null : write.owner === null
  return [
    canonicalJson(write.projection) !== canonicalJson(shown) && 'the live state of the writer is not the folded one',
    'epoch' in write && write.epoch !== null && write.epoch !== row.epoch && 'an owner of an earlier epoch appends',
    row.version !== state.version && 'the row shows another version',
    row.head !== state.head && 'the row shows another head',
    (row.state !== shown.state || row.code !== shown.code || row.attempt !== shown.attempt) && 'the row shows another state',
    canonicalJson([row.tools, row.outcomes]) !== canonicalJson([shown.tools, shown.outcomes]) && 'the row shows other tools or outcomes',
    !wakes(row, unowned ? 'now' : wakeOf(state)) && 'the row is woken at another time',
  ].filter(broken => broken !== false)
}

/** When somebody must look at a turn in this state, said once more in other words than the law's. */
function wakeOf(state: TurnState): 'now' | number | null {
  const name = stateName(state)
  if (['completed', 'refused', 'exhausted', 'cancelled', 'failed'].includes(name)) return null
  if (name === 'holding')
    return Math.min(...openCalls(state).flatMap(call => (callStateName(call) === 'held' ? [call.hold?.expiresAt ?? 0] : [])))
  return name === 'asking' && !state.chart.context.askExpired ? (state.ask?.expiresAt ?? 0) : 'now'
}

/** A turn is let go by its owner only, and never to sleep while there is work to do. */
export function brokenRelease(state: TurnState, row: MemoryTurn, epoch: number, time: number): readonly string[] {
  const due = wakeOf(state)
  const sleeps = row.wakeAt === null || row.wakeAt > time
  return [
    row.epoch !== epoch && `an owner of epoch ${epoch} lets go of a turn that is another one's`,
    due === 'now' && sleeps && 'a turn is let go to sleep while there is work to do',
    due !== 'now' && sleeps && row.wakeAt !== due && 'a turn is let go to be woken at another time',
  ].filter(broken => broken !== false)
}

function wakes({ wakeAt, updatedAt }: MemoryTurn, due: 'now' | number | null): boolean {
  return due === 'now' ? wakeAt !== null && wakeAt <= updatedAt : wakeAt === due
}

/** The inbox shows the open holds and the open ask, and whole arguments are kept for open masked calls only. */
export function brokenBeside(record: Recorded, row: MemoryTurn, database: MemoryDatabase): readonly string[] {
  const { told, turnId } = record
  const over = told.ended !== null && !told.doubt
  const held = over ? [] : [...told.calls.values()].flatMap(call => call.openHold?.id ?? [])
  const asked = told.asking === null || over || record.state.chart.context.askExpired ? [] : [`${turnId}.${told.asking}.0`]
  const shown = [...database.approvals.values()].flatMap(each => (each.turnId === turnId && each.settled === null ? [each.approvalId] : []))
  const kept = [...row.sealed.keys()].filter(ordinal => {
    const call = told.calls.get(ordinal)
    return call === undefined || call.outcome !== null || !call.masked
  })
  return [
    canonicalJson([...held, ...asked].sort()) !== canonicalJson(shown.sort()) &&
      `the inbox shows ${shown.join(' ')} and open are ${[...held, ...asked].join(' ')}`,
    kept.length > 0 && `D11: the arguments of call ${kept.join(' ')} stay sealed after it was settled`,
  ].filter(broken => broken !== false)
}
