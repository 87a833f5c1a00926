// What befalls everybody while faults last: the store or the bus is away, the bus is slow, the clock of the store jumps, workers drain.

import type { Crew } from './crew.ts'
import type { Process } from './process.ts'
import type { Stage } from './stage.ts'

/** The clock of the world outside, by which the store lives. */
export type Wall = { readonly epochMs: () => number; readonly jump: (ms: number) => void }

const BEGAN = Date.UTC(2026, 0, 1)

export function wallOver(now: () => number): Wall {
  let jumped = 0
  return { epochMs: () => BEGAN + Math.floor(now()) + jumped, jump: ms => void (jumped += ms) }
}

/** Who cannot reach the store now. */
export type Outages = { readonly away: (process: Process) => boolean; readonly begin: (stage: Stage) => void; readonly end: () => void }

export function storeOutages(): Outages {
  let everybody = false
  const names = new Set<string>()
  return {
    away: ({ name }) => everybody || names.has(name),
    begin: stage =>
      again(stage, 'store outages', [5_000, 25_000], chance => {
        const who = chance.hit(0.3) ? null : `w${chance.from(1, stage.plan.workers)}.1`
        if (who === null) everybody = true
        else names.add(who)
        stage.trace.say('store', `is out of reach of ${who ?? 'everybody'}`)
        stage.time.after(chance.one([500, 4_000, 17_000]), () => {
          if (who === null) everybody = false
          else names.delete(who)
          stage.trace.say('store', `is back for ${who ?? 'everybody'}`)
        })
      }),
    end: () => {
      everybody = false
      names.clear()
    },
  }
}

/** Lets the weather of the plan begin. */
export function beginWeather(stage: Stage, wall: Wall, crew: Crew, outages: Outages): void {
  const { plan, broker, time, trace } = stage
  if (plan.storeOutages) outages.begin(stage)
  if (plan.busOutages)
    again(stage, 'bus outages', [2_000, 20_000], chance => {
      broker.outage(true)
      trace.say('bus', 'is away')
      time.after(chance.one([300, 3_000, 15_000]), () => {
        broker.outage(false)
        trace.say('bus', 'is back')
      })
    })
  if (plan.busSlow)
    again(stage, 'slow bus', [3_000, 15_000], chance => {
      broker.slow(true)
      time.after(chance.one([200, 4_000]), () => broker.slow(false))
    })
  if (plan.copies > 0) again(stage, 'redeliveries', [2_000, 9_000], () => broker.redeliver())
  if (plan.clockJumps)
    again(stage, 'jumps', [4_000, 20_000], chance => {
      const ms = chance.one([2_000, 20_000, 60_000, -3_000, -20_000])
      trace.say('store', `its clock jumps by ${ms} ms`)
      wall.jump(ms)
    })
  if (plan.drains) again(stage, 'drains', [3_000, 15_000], chance => crew.drainSomeone(chance))
}

/** Again and again, until faults stop. */
function again(stage: Stage, name: string, [least, most]: readonly [number, number], befall: (chance: Stage['chance']) => void): void {
  const chance = stage.chance.part(name)
  const next = () => {
    if (stage.isCalm()) return
    befall(chance)
    stage.time.after(chance.from(least, most), next)
  }
  stage.time.after(chance.from(0, most), next)
}
