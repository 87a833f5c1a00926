// The main job from start to end: a mail is read, a payment waits for its person, the worker is killed in the middle of paying,
// another one goes on, and the record is replayed and verified.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import type { Event } from '../../machines/events.ts'
import type { ReplayResult, TurnResult, VerifyResult } from '../../machines/runtime/api.ts'
import type { Output } from '../cli/output.ts'
import { tenantOf, type WhereFlags } from '../cli/where.ts'
import type { FromWorker } from './channel.ts'
import { startChild, type Child } from './child.ts'
import type { LedgerRow } from './ledger.ts'
import { ASKED } from './plan.ts'
import { storyteller, type Story } from './story.ts'

export type DemoOptions = {
  readonly where: WhereFlags
  /** True: nobody is asked; the acting person is taken to agree. */
  readonly yes: boolean
}

/** What the demo did, as `--json` prints it. */
export type DemoFacts = {
  readonly turn: string
  readonly state: string
  readonly outcomes: { readonly [call: string]: string | null }
  /** How often each tool had its effect, over all workers; of the transfer, lines that stand in the ledger. */
  readonly executions: { readonly [tool: string]: number }
  readonly killed: boolean
  readonly replay: Pick<ReplayResult, 'state' | 'executions' | 'modelCalls' | 'same'>
  readonly verified: boolean
}

type Run = {
  readonly options: DemoOptions
  readonly story: Story
  readonly folder: string
  readonly reads: Map<string, number>
  readonly events: Event[]
}

/** Runs the demo. @returns what it did; the story of it is told on the way */
export async function runDemo(options: DemoOptions, out: Output): Promise<DemoFacts> {
  const story = storyteller(out)
  const folder = await mkdtemp(join(tmpdir(), 'toolturn-demo-'))
  const run: Run = { options, story, folder, reads: new Map(), events: [] }
  try {
    await story.begin(ASKED.input as string)
    const { turnId, dead } = await untilKilled(run)
    return await recover(run, turnId, dead)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The first worker: reads the mail, waits for Ana, and dies in the middle of the transfer. */
async function untilKilled(run: Run): Promise<{ readonly turnId: string; readonly dead: string }> {
  const { story, options } = run
  const approvals = signal<string>()
  const middle = signal<void>()
  const begin = { where: options.where, ledger: join(run.folder, 'ledger.db'), dead: null, follow: null }
  await story.say('starting a worker …')
  const child = await startChild(begin, said => {
    if (said.kind === 'in-the-middle') middle.give()
    if (said.kind === 'event' && said.event.type === 'call.held') approvals.give(said.event.data.approvalId)
    note(run, said)
  })
  try {
    const turnId = await child.ask('spawn', null)
    const approvalId = await approvals.given
    await agree(run)
    await child.ask('approve', approvalId)
    await middle.given
    await settled(run, 'call.dispatched', 3)
    await story.mark('kill', 'SIGKILL: the worker dies after the transfer began and before it wrote')
    return { turnId, dead: workerOf(run.events) }
  } finally {
    await child.kill()
  }
}

/** A new worker: settles the doubt through the ledger, and brings the turn to its end. Then the record is asked. */
async function recover(run: Run, turnId: string, dead: string): Promise<DemoFacts> {
  const { story, options } = run
  await story.say('starting another worker …')
  const begin = {
    where: options.where,
    ledger: join(run.folder, 'ledger.db'),
    dead,
    follow: { turnId, after: run.events.at(-1)?.version ?? 0 },
  }
  const child = await startChild(begin, said => note(run, said))
  try {
    const result = await child.ask('result', turnId)
    await settled(run, `turn.${result.state}`, 1)
    const replayed = await child.ask('replay', turnId)
    const verified = await child.ask('verify', turnId)
    const ledger = await child.ask('ledger', null)
    await story.end(result, replayed, verified, ledger, hint(options.where, turnId))
    return factsOf(run, result, replayed, verified, ledger)
  } finally {
    await closeChild(child)
  }
}

async function closeChild(child: Child): Promise<void> {
  await child.close().catch(() => child.kill())
}

function factsOf(run: Run, result: TurnResult, replayed: ReplayResult, verified: VerifyResult, ledger: readonly LedgerRow[]): DemoFacts {
  const { state, executions, modelCalls, same } = replayed
  return {
    turn: result.turnId,
    state: result.state,
    outcomes: Object.fromEntries(result.calls.map(({ tool, outcome }) => [tool, outcome])),
    executions: { ...Object.fromEntries(run.reads), transfer: ledger.filter(row => row.doneBy !== null).length },
    killed: true,
    replay: { state, executions, modelCalls, same },
    verified: verified.ok,
  }
}

function note({ reads, events, story }: Run, said: FromWorker): void {
  if (said.kind === 'ran') reads.set(said.tool, (reads.get(said.tool) ?? 0) + 1)
  if (said.kind !== 'event') return
  events.push(said.event)
  story.event(said.event)
}

/** The worker wrote the first event; its id is its lease. */
function workerOf(events: readonly Event[]): string {
  const actor = events[0]?.actor
  return actor?.kind === 'worker' ? actor.id : ''
}

/** Asks at the terminal, where there is one and it was wanted. */
async function agree({ options, story }: Run): Promise<void> {
  if (options.yes || !process.stdin.isTTY) return story.mark('person', 'Ana approves in the app')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  await terminal.question('\n  You are Ana. Press Enter to approve the transfer. ')
  terminal.close()
  await story.mark('person', 'Ana approves in the app')
}

const POLL_MS = 20

/** Events are told a moment after they happened: waits for the n-th of a type, so that the story keeps its order. */
async function settled({ events }: Run, type: string, count: number): Promise<void> {
  while (events.filter(event => event.type === type).length < count) await new Promise(resolve => setTimeout(resolve, POLL_MS))
}

/** How to look at the turn afterwards. */
function hint(where: WhereFlags, turnId: string): string {
  const store = where.store === undefined ? '' : ` --store '${where.store}'`
  const tenant = where.tenant === undefined ? '' : ` --tenant ${tenantOf(where)}`
  return `npx toolturn show ${turnId}${store}${tenant}`
}

function signal<T>(): { readonly given: Promise<T>; readonly give: (value: T) => void } {
  const { promise, resolve } = Promise.withResolvers<T>()
  return { given: promise, give: resolve }
}
