// Puts a run together: a world, its records and rules, its processes, its people and its weather.

import { memoryBroker } from '../../bus/memory.ts'
import { memoryDatabase } from '../../store/memory.ts'
import { now } from '../../store/memory-database.ts'
import { answersOf } from './answers.ts'
import type { Chance } from './chance.ts'
import { newClaims } from './claims.ts'
import type { Shelf } from './consumer.ts'
import { newCrew, type Crew } from './crew.ts'
import { newEffects } from './effects.ts'
import { expectCancel, newErrands } from './errands.ts'
import { policyOf, redactor, sealerOf } from './house.ts'
import { newLife } from './life.ts'
import { letPeopleAct } from './people.ts'
import { isHardOnAll, isPrompt, type Plan } from './plan.ts'
import type { Host } from './process.ts'
import { recordsOf } from './records.ts'
import type { Sabotage } from './sabotage.ts'
import { SECRET, type Stage } from './stage.ts'
import { simulatedTime } from './time.ts'
import { traceOver } from './trace.ts'
import { beginWeather, storeOutages, wallOver } from './weather.ts'

export type Setting = {
  readonly stage: Stage
  readonly crew: Crew
  readonly shelf: Shelf
  /** Faults stop: what was away is back. Processes are mended by the crew. */
  readonly calm: () => void
}

/** @param told of each rule that is broken */
export function setStage(plan: Plan, chance: Chance, sabotage: Sabotage, told: (rule: string) => void): Setting {
  const time = simulatedTime()
  const trace = traceOver(time.now)
  const wall = wallOver(time.now)
  const outages = storeOutages()
  const answers = answersOf(plan, chance.part('answers'))
  const shelf: Shelf = { versions: new Map(), processes: [] }
  let isCalm = false
  const broken = (rule: string) => {
    trace.say('BROKEN', rule)
    told(rule)
  }
  const database = memoryDatabase({ epochMs: wall.epochMs, instance: 'simulated' })
  const records = recordsOf({
    ...{ database, broken, answers },
    now: time.now,
    secret: SECRET,
    written: turnId => noteWrite(stage, turnId),
    promptNow: isPrompt(plan) ? () => now(database) : null,
    hadTrouble: worker => isHardOnAll(plan) || crew.hadTrouble(worker),
  })
  const stage: Stage = {
    ...{ plan, chance, time, trace, broken, database, records },
    broker: memoryBroker({ clock: newLife('broker', time).clock }),
    effects: newEffects(),
    claims: newClaims(plan),
    errands: newErrands(),
    isCalm: () => isCalm,
  }
  const host: Host = {
    ...{ answers, redactor, sabotage },
    asked: new Set(),
    policy: policyOf(stage),
    sealer: sealerOf(plan),
    away: outages.away,
  }
  const crew = newCrew({ stage, host, shelf })
  letPeopleAct(stage, crew)
  beginWeather(stage, wall, crew, outages)
  const calm = () => {
    isCalm = true
    outages.end()
    stage.broker.outage(false)
    stage.broker.slow(false)
  }
  return { stage, crew, shelf, calm }
}

function noteWrite(stage: Stage, turnId: string): void {
  stage.claims.cleared(turnId)
  if (stage.records.of(turnId)?.events.at(-1)?.type === 'turn.cancelling') expectCancel(stage, turnId)
}
