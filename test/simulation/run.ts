// One run from one seed: a plan is drawn, faults and people have their time, then all is well again and everything must come to
// its end. The same seed gives the same run.

import { memoryBroker } from '../../bus/memory.ts'
import { memoryDatabase } from '../../store/memory.ts'
import { now } from '../../store/memory-database.ts'
import { answersOf } from './answers.ts'
import { brokenBroker } from './bus-port.ts'
import { chanceOf } from './chance.ts'
import { newClaims } from './claims.ts'
import type { Shelf } from './consumer.ts'
import { newCrew, type Crew } from './crew.ts'
import { newEffects } from './effects.ts'
import { brokenInTheEnd, brokenResults, unfinished } from './endings.ts'
import { policyOf, redactor, sealerOf } from './house.ts'
import { letPeopleAct } from './people.ts'
import { drawPlan, isHardOnAll, isPrompt, type Plan } from './plan.ts'
import type { Host } from './process.ts'
import { recordsOf } from './records.ts'
import { SECRET, shortName, type Stage } from './stage.ts'
import { simulatedTime } from './time.ts'
import { traceOver } from './trace.ts'
import { beginWeather, storeOutages, wallOver } from './weather.ts'

export type Report = {
  readonly seed: string
  readonly plan: Plan
  /** The first rule that was broken; null when the run is sound. */
  readonly broken: string | null
  readonly lines: readonly string[]
  readonly digest: string
  readonly sums: {
    readonly runs: number
    readonly turns: number
    readonly events: number
    /** Starts of tools, and deaths of processes. */
    readonly starts: number
    readonly deaths: number
    readonly virtualMs: number
  }
}

/** Once faults have stopped everything ends within so long. */
const CALM_MS = 1_800_000
/** Between two looks of an operator at what is parked. */
const LOOK_MS = 5_000
/** As many claims without an append lead to the park. */
const CLAIMS = 5

export async function simulate(seed: string, change: Partial<Plan> = {}): Promise<Report> {
  const chance = chanceOf(seed)
  const plan = { ...drawPlan(chance.part('plan')), ...change }
  const rules: string[] = []
  const { stage, begin, calm } = setStage(plan, chance, rules)
  let deaths = 0
  const rejected = (reason: unknown) => void rules.push(`a rejection is handled by nobody: ${String(reason)}`)
  process.on('unhandledRejection', rejected)
  try {
    const { crew, shelf } = begin()
    await play(stage, crew, shelf, calm, rules)
    deaths = crew.all().filter(({ life }) => life.isDead()).length
  } finally {
    process.off('unhandledRejection', rejected)
  }
  const { trace, records, effects, time } = stage
  const turns = records.all()
  const starts = [...effects.all()].reduce((sum, deed) => sum + deed.starts.length, 0)
  return {
    seed,
    plan,
    broken: rules[0] ?? null,
    lines: trace.lines(),
    digest: trace.digest(),
    sums: {
      runs: 1,
      turns: turns.length,
      events: turns.reduce((sum, { events }) => sum + events.length, 0),
      starts,
      deaths,
      virtualMs: time.now(),
    },
  }
}

function setStage(plan: Plan, chance: Stage['chance'], rules: string[]) {
  const time = simulatedTime()
  const trace = traceOver(time.now)
  const wall = wallOver(time.now)
  const database = memoryDatabase({ epochMs: wall.epochMs, instance: 'simulated' })
  const broken = (rule: string) => {
    trace.say('BROKEN', rule)
    rules.push(rule)
  }
  let crew: Crew | null = null
  const answers = answersOf(plan, chance.part('answers'))
  const claims = newClaims(plan)
  let isCalm = false
  const stage: Stage = {
    plan,
    chance,
    time,
    trace,
    database,
    broken,
    broker: memoryBroker({ clock: { monotonic: time.now, sleep: brokerSleep(time.after) } }),
    records: recordsOf({
      database,
      broken,
      answers,
      now: time.now,
      secret: SECRET,
      written: claims.cleared,
      promptNow: isPrompt(plan) ? () => now(database) : null,
      hadTrouble: worker => isHardOnAll(plan) || crew?.hadTrouble(worker) !== false,
    }),
    effects: newEffects(),
    claims,
    isCalm: () => isCalm,
  }
  const outages = storeOutages()
  const shelf: Shelf = { versions: new Map(), processes: [] }
  const begin = () => {
    const host: Host = {
      answers,
      redactor,
      asked: new Set(),
      policy: policyOf(stage),
      sealer: sealerOf(plan),
      away: outages.away,
    }
    const started = newCrew({ stage, host, shelf })
    crew = started
    letPeopleAct(stage, started)
    beginWeather(stage, wall, started, outages)
    return { crew: started, shelf }
  }
  const calm = () => {
    isCalm = true
    outages.end()
    stage.broker.outage(false)
    stage.broker.slow(false)
  }
  return { stage, begin, calm }
}

function brokerSleep(after: Stage['time']['after']) {
  return (ms: number, signal?: AbortSignal) =>
    new Promise<void>(resolve => {
      const takeBack = after(ms, resolve)
      signal?.addEventListener(
        'abort',
        () => {
          takeBack()
          resolve()
        },
        { once: true },
      )
    })
}

async function play(stage: Stage, crew: Crew, shelf: Shelf, calm: () => void, rules: readonly string[]): Promise<void> {
  const { time, trace, plan, broken } = stage
  time.after(plan.chaosMs, () => {
    trace.say('world', 'faults stop')
    calm()
    crew.mend()
    unpark(stage, crew)
  })
  const over = () => rules.length > 0 || (stage.isCalm() && crew.isMended() && unfinished(stage, shelf) === null)
  if (!(await time.passUntil(over, plan.chaosMs + CALM_MS))) {
    return broken(
      `not over ${CALM_MS} ms after faults stopped: ${unfinished(stage, shelf) ?? 'a process does not come up, or does not drain'}`,
    )
  }
  if (rules.length > 0) return
  for (const rule of brokenInTheEnd(stage)) broken(rule)
  await askForResults(stage, crew)
}

/** The operator looks after what is parked, and asks why it is. */
function unpark(stage: Stage, crew: Crew): void {
  const process = crew.all().findLast(each => each.drives && each.runtime !== null && !each.life.isDead() && !each.drains)
  for (const { parked, turnId } of stage.database.turns.values()) {
    if (!parked) continue
    const idle = stage.claims.idle(turnId)
    if (stage.claims.count(turnId) < CLAIMS) stage.broken(`${shortName(turnId)}: it is parked after ${stage.claims.count(turnId)} claims`)
    if (idle !== null) stage.broken(`${shortName(turnId)}: it is parked, and ${idle.name} let it go without a cause`)
    void process?.runtime?.recover(turnId)
  }
  stage.time.after(LOOK_MS, () => unpark(stage, crew))
}

async function askForResults(stage: Stage, crew: Crew): Promise<void> {
  const runtime = crew.someone(stage.chance.part('results'))?.runtime
  if (runtime == null) return stage.broken('no process is up in the end')
  let rules: readonly string[] | null = null
  void brokenResults(stage, runtime).then(found => void (rules = found))
  if (!(await stage.time.passUntil(() => rules !== null, stage.time.now() + 60_000)))
    stage.broken('the result of an ended turn is never told')
  for (const rule of rules ?? []) stage.broken(rule)
  for (const rule of brokenBroker(stage, true)) stage.broken(rule)
}
