// What really happens when a tool runs: it takes its time, has its effect somewhere on the way, and returns, throws, fails, is
// late or never comes back. What was sent out goes on without its process, or not: the world decides.

import { argumentsDigest } from '../../machines/digest.ts'
import { canonicalJson, type JsonObject } from '../../machines/json.ts'
import type { CallContext, Reconciled, ToolResult } from '../../machines/tool.ts'
import type { Doing } from './catalog.ts'
import type { Deed, ToolKind } from './effects.ts'
import type { Process } from './process.ts'
import { IN_TEXT, shortName, type Stage } from './stage.ts'

export function doingOf(stage: Stage, process: Process): Doing {
  return {
    run: kind => (args, context) => {
      for (const rule of brokenStart(stage, process, args, context)) stage.broken(`${shortName(context.turnId)} ${kind.name}: ${rule}`)
      return process.line(`run ${kind.name}`, () => execute(stage, process, kind, args, context))
    },
    reconcile: kind => (_args, context) => process.line(`reconcile ${kind.name}`, () => reconcile(stage, kind, context)),
  }
}

/** What must be so in the moment a process starts a tool. */
function brokenStart(stage: Stage, process: Process, args: JsonObject, context: CallContext): readonly string[] {
  const { turnId, ordinal, dispatch } = context
  const record = stage.records.of(turnId)
  const intent = record?.events.findLast(
    event => event.type === 'call.dispatched' && event.data.ordinal === ordinal && event.data.dispatch === dispatch,
  )
  if (record === undefined || intent?.type !== 'call.dispatched') return ['D2: started before its intent is committed']
  const late = stage.time.now() - (record.written[intent.version - 1]?.at ?? 0)
  const call = record.state.calls.get(ordinal)
  const key = stage.database.turns.get(turnId)?.turnKey ?? new Uint8Array()
  const digest = argumentsDigest(key, intent.data.tool, args)
  return [
    intent.data.invocationId !== context.invocationId && 'D1: started under another invocation id',
    !process.workers.has(intent.actor.id) && 'D2: started by a process that did not commit its intent',
    context.try > 1 && context.signal.aborted && 'G4: tried again although it was stopped',
    context.try === 1 &&
      !process.life.lostTime() &&
      late > record.state.opened.limits.startWithinMs &&
      `D2: started ${late} ms after its intent`,
    process.life.clock.monotonic() >= process.leaseUntil && 'D2: started when the lease was over',
    call !== undefined && call.prepared?.argumentsDigest !== digest && 'B2: started with other arguments than were admitted',
    canonicalJson(args).includes(IN_TEXT) && 'A3: started with arguments that stood in a text only',
  ].filter(broken => broken !== false)
}

/** How one execution goes. */
type Course = {
  readonly takesMs: number
  readonly effectAfterMs: number
  readonly end: 'returns' | 'fails' | 'throws' | 'hangs'
  /** The effect takes place although its process died on the way. */
  readonly goesOn: boolean
  /** Stops at once when it is told to, and has no effect if it had none yet. */
  readonly heeds: boolean
}

function courseOf({ plan, chance, isCalm }: Stage, context: CallContext): Course {
  const draw = chance.part(`run/${context.invocationId}/${context.dispatch}/${context.try}`)
  const calm = isCalm()
  const takesMs = draw.one([0, 5, 100, 1_000, draw.hit(plan.hangs) ? 12_000 : 300])
  return {
    takesMs,
    effectAfterMs: draw.from(0, takesMs),
    end: !calm && draw.hit(plan.hangs / 2) ? 'hangs' : draw.hit(plan.toolFails) ? draw.one(['fails', 'throws']) : 'returns',
    goesOn: draw.hit(0.5),
    heeds: draw.hit(0.5),
  }
}

async function execute(stage: Stage, process: Process, kind: ToolKind, args: JsonObject, context: CallContext): Promise<unknown> {
  const { effects, time, trace } = stage
  const { invocationId, dispatch, turnId, ordinal } = context
  const { deed, broken } = effects.start(kind, invocationId, dispatch, context.try)
  const name = `${shortName(turnId)} ${kind.name} call ${ordinal} dispatch ${dispatch} try ${context.try}`
  for (const rule of broken) stage.broken(`${name}: ${rule}`)
  const course = courseOf(stage, context)
  trace.say(process.name, `run ${name}, ${course.end} after ${course.takesMs}`)
  const comesBack = stage.errands.begin({ turnId, process, signal: context.signal, what: `the run of ${kind.name}` })
  const stopped = course.heeds ? aborted(context.signal) : null
  try {
    await Promise.race([time.pass(course.effectAfterMs), ...(stopped === null ? [] : [stopped])])
    const given = resultOf(stage, deed, args, context)
    const done = (course.goesOn || !process.life.isDead()) && takeEffect(stage, kind, deed, context, given)
    await Promise.race([time.pass(course.takesMs - course.effectAfterMs), ...(stopped === null ? [] : [stopped])])
    return await ending(course, done, deed.result ?? given)
  } finally {
    comesBack()
    effects.end(deed, dispatch)
    trace.say(process.name, `ran ${name}`)
  }
}

function takeEffect(stage: Stage, kind: ToolKind, deed: Deed, context: CallContext, result: ToolResult): boolean {
  if (kind.policy === 'read-only') return true
  const { turnId, ordinal, dispatch } = context
  const { done, broken } = stage.effects.happen(deed, dispatch, result)
  const over = stage.records
    .of(turnId)
    ?.events.some(
      event =>
        event.type === 'call.settled' &&
        event.data.ordinal === ordinal &&
        event.data.settled === 'did-not-happen' &&
        event.data.dispatch >= dispatch,
    )
  if (done && over === true)
    stage.broken(`${shortName(turnId)} call ${ordinal}: D6: an effect of a dispatch that was settled as not happened`)
  for (const rule of broken) stage.broken(`${shortName(turnId)} call ${ordinal}: ${rule}`)
  if (done) stage.trace.say('world', `effect ${shortName(turnId)} ${kind.name} call ${ordinal} dispatch ${dispatch}`)
  return done
}

function ending(course: Course, done: boolean, result: ToolResult): unknown {
  if (course.end === 'hangs') return new Promise(() => {})
  if (!done) throw new Error('This dispatch was voided.')
  if (course.end === 'throws') throw new Error('The simulated tool throws.')
  return course.end === 'fails' ? { ...result, isError: true } : result
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new Error('The simulated tool was stopped.'))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}

/** Says which attempt it belongs to, so that a record that is served to another one is found. Some reads always say the same. */
function resultOf({ chance, plan, time }: Stage, deed: Deed, args: JsonObject, context: CallContext): ToolResult {
  const draw = chance.part(`result/${context.invocationId}`)
  const reads = deed.kind.policy === 'read-only' ? draw.one(['same', 'own', 'new'] as const) : 'own'
  const about = {
    same: `${deed.kind.name} ${canonicalJson(args['id'] ?? null)}`,
    own: `call ${context.ordinal}`,
    new: `now ${time.now()}`,
  }[reads]
  const long = draw.hit(0.15) ? 'x'.repeat(draw.from(100, 600)) : ''
  const secret = plan.secrets !== 'none' && draw.hit(0.2) ? { token: args['token'] ?? null } : {}
  return { content: [{ type: 'text', text: `${resultMark(context)} ${about} ${long}` }], structuredContent: { about, ...secret } }
}

function resultMark({ turnId, attempt }: Pick<CallContext, 'turnId' | 'attempt'>): string {
  return `<result of ${turnId} attempt ${attempt}>`
}

async function reconcile(stage: Stage, kind: ToolKind, context: CallContext): Promise<Reconciled> {
  const { effects, chance, time, trace } = stage
  const { invocationId, dispatch, turnId, ordinal } = context
  const draw = chance.part(`reconcile/${invocationId}/${dispatch}/${time.now()}`)
  await time.pass(draw.one([0, 10, 500]))
  const how = stage.isCalm() ? 'truly' : draw.weighted({ truly: 6, unknown: 1, throws: 1, hangs: 1 })
  trace.say('world', `reconcile ${shortName(turnId)} ${kind.name} call ${ordinal} dispatch ${dispatch}: ${how}`)
  if (how === 'unknown') return 'unknown'
  if (how === 'throws') throw new Error('The simulated reconcile throws.')
  if (how === 'hangs') return new Promise(() => {})
  const result = effects.settle(kind, invocationId, dispatch)
  return result === null ? 'did-not-happen' : { happened: result }
}
