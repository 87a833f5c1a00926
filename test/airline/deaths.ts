// Where the workers of these turns die: in each turn once, at a place that follows from its name alone.

import { createHash } from 'node:crypto'
import type { Place } from '../kills/stops.ts'
import { callsIn, type Stretch } from './recorded.ts'

/** The n-th time that a worker comes to such a place, from 1. */
export type Death = { readonly place: Place; readonly nth: number }

const IN_A_CALL: readonly Place[] = [
  'before call.dispatched',
  'after call.dispatched',
  'begun',
  'done',
  'before call.recorded',
  'after call.recorded',
]
const IN_A_ROUND: readonly Place[] = ['before round.recorded', 'after round.recorded']

export function deathIn(stretch: Stretch): Death {
  const { plan, rounds } = stretch
  const chance = createHash('sha256').update(plan).digest()
  const calls = callsIn(stretch)
  const places = calls > 0 ? [...IN_A_CALL, ...IN_A_ROUND] : IN_A_ROUND
  const place = places[chance.readUInt32LE(0) % places.length] as Place
  const times = IN_A_ROUND.includes(place) ? rounds.length : calls
  return { place, nth: 1 + (chance.readUInt32LE(4) % times) }
}
