// One run from one seed: a plan is drawn, faults and people have their time, then all is well again and everything must come to
// its end. The same seed gives the same run.

import { UNSERVED_MS } from '../../store/patience.ts'
import { brokenBroker } from './bus-port.ts'
import { chanceOf } from './chance.ts'
import type { Crew } from './crew.ts'
import { brokenInTheEnd, brokenResults, unfinished } from './endings.ts'
import { drawPlan, type Plan } from './plan.ts'
import type { Sabotage } from './sabotage.ts'
import { setStage, type Setting } from './set-stage.ts'
import { shortName, type Stage } from './stage.ts'

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

/** Once faults have stopped everything ends within so long; where a tool is gone, a turn waits for it at each of its wake-ups. */
const CALM_MS = 600_000
const CALM_WITHOUT_A_TOOL_MS = 10 * UNSERVED_MS
/** Between two looks of an operator at what is parked. */
const LOOK_MS = 5_000
/** Longer than any call of a port takes. */
const SETTLED_MS = 15_000
/** As many claims without an append lead to the park. */
const CLAIMS = 5

/**
 * @param change to the plan that the seed draws
 * @param sabotage of every process, to see that it is seen
 */
export async function simulate(seed: string, change: Partial<Plan> = {}, sabotage: Sabotage = {}): Promise<Report> {
  const chance = chanceOf(seed)
  const plan = { ...drawPlan(chance.part('plan')), ...change }
  const rules: string[] = []
  const rejected = (reason: unknown) => void rules.push(`a rejection is handled by nobody: ${String(reason)}`)
  process.on('unhandledRejection', rejected)
  try {
    const setting = setStage(plan, chance, sabotage, rule => void rules.push(rule))
    await play(setting, rules)
    const { trace } = setting.stage
    return { seed, plan, broken: rules[0] ?? null, lines: trace.lines(), digest: trace.digest(), sums: sumsOf(setting) }
  } finally {
    process.off('unhandledRejection', rejected)
  }
}

function sumsOf({ stage, crew }: Setting): Report['sums'] {
  const turns = stage.records.all()
  return {
    runs: 1,
    turns: turns.length,
    events: turns.reduce((sum, { events }) => sum + events.length, 0),
    starts: [...stage.effects.all()].reduce((sum, deed) => sum + deed.starts.length, 0),
    deaths: crew.all().filter(({ life }) => life.isDead()).length,
    virtualMs: stage.time.now(),
  }
}

/** Lets time pass until all is over, or a rule is broken. */
async function play({ stage, crew, shelf, calm }: Setting, rules: readonly string[]): Promise<void> {
  const { time, trace, plan, broken } = stage
  const calmMs = plan.drift === 'gone' ? CALM_WITHOUT_A_TOOL_MS : CALM_MS
  time.after(plan.chaosMs, () => {
    trace.say('world', 'faults stop')
    calm()
    crew.mend()
    unpark(stage, crew)
  })
  const isOver = () => rules.length > 0 || (stage.isCalm() && crew.isMended() && unfinished(stage, shelf) === null)
  await time.passUntil(isOver, plan.chaosMs + calmMs)
  // Whatever was under way has come back after a while: a retry that somebody sent in the storm begins another attempt.
  await time.passUntil(() => rules.length > 0, time.now() + SETTLED_MS)
  if (!(await time.passUntil(isOver, time.now() + calmMs))) {
    const why = unfinished(stage, shelf) ?? 'a process does not come up, or does not drain'
    return broken(`not over ${calmMs} ms after faults stopped: ${why}`)
  }
  if (rules.length > 0) return
  for (const rule of brokenInTheEnd(stage)) broken(rule)
  await askForResults(stage, crew)
}

/** The operator looks after what is parked, and asks why it is. */
function unpark(stage: Stage, crew: Crew): void {
  // One of another release may lack a tool that the turn offers.
  const workers = crew.all().filter(each => each.drives && !each.life.isDead() && !each.drains)
  for (const { parked, turnId } of stage.database.turns.values()) {
    if (!parked) continue
    const idle = stage.claims.idle(turnId)
    if (stage.claims.count(turnId) < CLAIMS) stage.broken(`${shortName(turnId)}: it is parked after ${stage.claims.count(turnId)} claims`)
    if (idle !== null) stage.broken(`${shortName(turnId)}: it is parked, and ${idle.name} let it go without a cause`)
    for (const { runtime } of workers) void runtime?.recover(turnId)
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
