// People: they open turns, approve, deny, edit, answer, cancel and retry, the wrong ones and the late ones among them; and an
// operator settles doubts. Each goes through whatever process is up, sees only what is stored, and is told what came of it.

import { ToolturnError, type ErrorCode } from '../../machines/errors.ts'
import { invocationId } from '../../machines/ids.ts'
import type { Runtime } from '../../machines/runtime/api.ts'
import { callStateName, hasEnded, stateName, type CallState } from '../../machines/state.ts'
import type { Chance } from './chance.ts'
import type { Crew } from './crew.ts'
import { awaitResult, followEvents } from './watchers.ts'
import { ACTING, drawParty, drawSpawn, SERVICE, type Party } from './parties.ts'
import type { Recorded } from './records.ts'
import { IN_TEXT, SECRET, shortName, type Stage } from './stage.ts'

export type People = {
  /** Turns that they opened, or know to be open. */
  readonly turns: () => ReadonlySet<string>
}

type Scene = {
  readonly stage: Stage
  readonly crew: Crew
  readonly chance: Chance
  readonly turns: Set<string>
  /** Decisions that somebody was told were his. */
  readonly decided: Map<string, string>
}

/** Lets people act until faults stop. */
export function letPeopleAct(stage: Stage, crew: Crew): People {
  const scene: Scene = { stage, crew, chance: stage.chance.part('people'), turns: new Set(), decided: new Map() }
  const { time, plan } = stage
  for (let index = 0; index < plan.turns; index += 1) time.after(scene.chance.from(0, plan.chaosMs / 3), () => spawn(scene, index))
  const next = () => {
    if (stage.isCalm()) return
    act(scene)
    time.after(scene.chance.from(1, 2 * plan.peopleMs), next)
  }
  time.after(plan.peopleMs, next)
  return { turns: () => scene.turns }
}

/** How often somebody decides or answers what is not open, where nothing is. */
const TOO_LATE = 0.15

/** What people may be told; anything else is a fault. */
const TOLD: readonly ErrorCode[] = [
  'approval_already_resolved',
  'approval_expired',
  'approval_not_yours',
  'approval_channel_refused',
  'decision_invalid',
  'turn_not_open',
  'turn_not_retryable',
  'call_not_in_doubt',
  'fork_refused',
  'turn_not_found',
  'option_invalid',
  'runtime_closed',
  'turn_parked',
]

/** Tells what came of an act; whoever goes through a process that dies hears nothing. */
function hear(scene: Scene, what: string, acting: Promise<unknown>): void {
  const { stage } = scene
  const outside = [
    stage.plan.storeOutages && 'store_unreachable',
    stage.plan.busy > 0 && 'store_busy',
    stage.plan.busy > 0 && 'version_conflict',
  ]
  acting.then(
    () => stage.trace.say('people', `${what}: done`),
    (error: unknown) => {
      const code = error instanceof ToolturnError ? error.code : String(error)
      stage.trace.say('people', `${what}: ${code}`)
      if (!TOLD.includes(code as ErrorCode) && !outside.includes(code)) stage.broken(`${what} is answered with ${code}`)
    },
  )
}

/** Through some process that is up. */
function through(scene: Scene, what: string, act: (runtime: Runtime) => Promise<unknown>): void {
  const process = scene.crew.someone(scene.chance)
  if (process?.runtime == null) return
  scene.stage.trace.say('people', `${what} through ${process.name}`)
  hear(scene, what, act(process.runtime))
}

function spawn(scene: Scene, index: number): void {
  const { chance, stage, turns } = scene
  const ended = stage.plan.follows ? stage.records.all().filter(({ state }) => hasEnded(state) && state.tenant === 'default') : []
  const options = drawSpawn(
    chance.part(`spawn/${index}`),
    index,
    ended.map(({ turnId }) => turnId),
  )
  const opened: string[] = []
  const open = async (runtime: Runtime) => {
    const handle = await runtime.spawn(options)
    const { id } = handle
    turns.add(id)
    if (chance.hit(0.3)) hear(scene, `the result of ${shortName(id)}`, awaitResult(stage, handle))
    if (chance.hit(0.1)) hear(scene, `the events of ${shortName(id)}`, followEvents(stage, handle))
    if (options.key !== undefined) opened.push(id)
    if (new Set(opened).size > 1) stage.broken('one key gave two turns')
  }
  const times = options.key !== undefined && chance.hit(0.3) ? 2 : 1
  for (let time = 0; time < times; time += 1) through(scene, `spawn ${index}`, open)
  if (scene.crew.someone(chance) === null) stage.time.after(1_000, () => !stage.isCalm() && spawn(scene, index))
}

function act(scene: Scene): void {
  const { chance, stage } = scene
  const records = stage.records.all()
  if (records.length === 0) return
  const record = chance.one(records)
  const what = chance.weighted({ decide: 12, answer: 6, cancel: 0.4, retry: 2, settle: 3, recover: 2, fork: stage.plan.follows ? 0.6 : 0 })
  switch (what) {
    case 'decide':
      return decide(scene)
    case 'answer':
      return answer(scene)
    case 'cancel':
      return through(scene, `cancel ${shortName(record.turnId)}`, runtime => runtime.cancel(record.turnId, drawParty(chance)))
    case 'retry':
      return retry(scene, record)
    case 'settle':
      return settle(scene)
    case 'recover':
      return recoverParked(scene)
    case 'fork':
      return fork(scene, record)
  }
}

/** One hold, by one or several at once. */
function decide(scene: Scene): void {
  const { chance, stage } = scene
  const rows = [...stage.database.approvals.values()].filter(row => row.kind === 'approval')
  const open = rows.filter(row => row.settled === null)
  const row = open.length > 0 && chance.hit(0.9) ? chance.one(open) : rows.length > 0 && chance.hit(TOO_LATE) ? chance.one(rows) : null
  if (row === null) return
  const times = chance.hit(0.2) ? 4 : 1
  for (let time = 0; time < times; time += 1) {
    const party = drawParty(chance, row.approvers !== null && row.contentTrust === 'trusted')
    const decision = drawDecision(scene)
    const who = `${party.as.kind} ${party.as.id} via ${party.via}`
    const what = `${JSON.stringify(decision)} ${shortName(row.turnId)} call ${row.ordinal} as ${who}`
    through(scene, what, async runtime => {
      const resolution = await runtime.decide(row.approvalId, decision, party)
      heardDecision(scene, row.approvalId, party, resolution.decision)
    })
  }
}

function drawDecision({ chance, stage }: Scene): unknown {
  const token = stage.plan.secrets === 'none' ? {} : { token: `${SECRET}-${chance.from(1, 3)}` }
  switch (chance.weighted({ approve: 10, deny: 3, edit: 3, wrong: 1 })) {
    case 'approve':
      return 'approve'
    case 'deny':
      return { decision: 'deny', reason: 'no' }
    case 'edit':
      return {
        decision: 'approve',
        arguments: chance.one([{ id: chance.from(1, 9) }, { id: 2, ...(chance.hit(0.5) ? token : {}) }, { id: 'x' }]),
      }
    case 'wrong':
      return chance.one(['yes', 'Approve', true, { decision: 'approve ', note: IN_TEXT }])
  }
}

/** Whoever is told that his decision stands, of him it is stored, and of nobody else. */
function heardDecision({ stage, decided }: Scene, approvalId: string, { as }: Party, decision: string): void {
  const turnId = approvalId.split('.')[0] ?? ''
  const his = stage.records
    .of(turnId)
    ?.events.some(
      event =>
        (event.type === 'approval.granted' || event.type === 'approval.denied') &&
        event.type === `approval.${decision}` &&
        event.data.approvalId === approvalId &&
        event.data.by.id === as.id &&
        event.data.by.issuer === as.issuer,
    )
  if (his !== true) stage.broken(`C5: somebody is told ${decision} of a hold that he did not decide`)
  if (decided.has(approvalId)) stage.broken('C5: two are told that they decided one hold')
  decided.set(approvalId, decision)
}

function answer(scene: Scene): void {
  const { chance, stage } = scene
  const asking = stage.records.all().filter(({ state }) => stateName(state) === 'asking')
  if (asking.length === 0 && !chance.hit(TOO_LATE)) return
  const record = asking.length > 0 ? chance.one(asking) : chance.one(stage.records.all())
  const party = drawParty(chance)
  through(scene, `answer ${shortName(record.turnId)} as ${party.as.kind} ${party.as.id} via ${party.via}`, runtime =>
    runtime.answer(record.turnId, { ...party, answer: chance.one(['the red one', { id: 7 }, '']) }),
  )
}

function retry(scene: Scene, record: Recorded): void {
  const { chance } = scene
  if (!hasEnded(record.state)) return
  const despiteDoubt = chance.hit(0.4)
  through(scene, `retry ${shortName(record.turnId)}`, runtime => runtime.retry(record.turnId, { as: ACTING, despiteDoubt }))
}

/** An operator never says that something did not happen while it may have, or still may. */
function settle(scene: Scene): void {
  const { chance, stage } = scene
  const doubts = stage.records
    .all()
    .flatMap(record =>
      [...record.state.calls.values()]
        .filter(call => record.state.chart.context.inDoubt && callStateName(call) === 'dispatched')
        .map(call => ({ record, call })),
    )
  if (doubts.length === 0) return
  const { record, call } = chance.one(doubts)
  const cannot = cannotHappen(scene, record, call)
  const word = cannot && chance.hit(0.7) ? { didNotHappen: true as const, workerIsDead: true as const } : { happened: 'It did.' }
  const what = `settle ${shortName(record.turnId)} call ${call.ordinal}: ${cannot ? 'may say it did not happen' : 'happened'}`
  through(scene, what, runtime => runtime.settle(record.turnId, call.ordinal, { as: SERVICE, ...word }))
}

function cannotHappen({ crew, stage }: Scene, { state, events, turnId }: Recorded, { ordinal, item }: CallState): boolean {
  const id = invocationId({ tenant: state.tenant, turnId, ordinal, tool: item.name })
  const workers = events.flatMap(event => (event.type === 'call.dispatched' && event.data.ordinal === ordinal ? [event.actor.id] : []))
  const starters = crew.all().filter(process => workers.some(worker => process.workers.has(worker)))
  const gone = starters.every(({ life }) => stage.time.now() - (life.diedAt() ?? Infinity) > 2 * stage.plan.latencyMs)
  return gone && stage.effects.isOver(id) && (stage.effects.of(id)?.effects ?? 0) === 0
}

function recoverParked(scene: Scene): void {
  const parked = [...scene.stage.database.turns.values()].find(turn => turn.parked)
  const process = scene.crew.someone(scene.chance)
  if (parked === undefined || process?.drives !== true || process.runtime === null) return
  hear(scene, `recover ${shortName(parked.turnId)} through ${process.name}`, process.runtime.recover(parked.turnId))
}

function fork(scene: Scene, record: Recorded): void {
  const { chance, turns } = scene
  const at = chance.from(1, record.events.length)
  through(scene, `fork ${shortName(record.turnId)} at ${at}`, async runtime => {
    const { id } = await runtime.fork(record.turnId, { at, as: ACTING })
    turns.add(id)
  })
}
