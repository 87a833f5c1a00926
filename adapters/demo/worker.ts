// The worker of the demo, a process of its own: it owns the store, drives the turn, and is killed for it.

import { ToolturnError } from '../../machines/errors.ts'
import type { Runtime, TurnHandle } from '../../machines/runtime/api.ts'
import type { Tool } from '../../machines/tool.ts'
import { busOf, storeOf, type StoreSource } from '../cli/where.ts'
import { createRuntime } from '../host.ts'
import type { Begin, FromWorker, ToWorker } from './channel.ts'
import { openLedger, type Ledger } from './ledger.ts'
import { mailTools } from './mailbox.ts'
import { ANA, ASKED, demoModel, SYSTEM } from './plan.ts'

type Worker = { readonly runtime: Runtime; readonly ledger: Ledger }

let worker: Worker | null = null

process.on('message', (message: ToWorker) => {
  handle(message).then(
    answer => tell({ kind: 'answer', id: message.id, answer }),
    (error: unknown) => tell({ kind: 'error', id: message.id, ...errorWords(error) }),
  )
})
// Nobody is left to work for.
process.on('disconnect', () => process.exit(0))

function tell(message: FromWorker): void {
  process.send?.(message)
}

function errorWords(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof ToolturnError) return { code: error.code, message: error.message }
  return { code: 'internal', message: error instanceof Error ? error.message : 'unknown' }
}

async function handle(message: ToWorker): Promise<unknown> {
  if (message.ask === 'begin') return begin(message.given)
  if (worker === null) throw new ToolturnError('internal', 'The worker was asked before it began.')
  const { runtime, ledger } = worker
  switch (message.ask) {
    case 'spawn':
      return follow(await runtime.spawn(ASKED), 0)
    case 'approve':
      await runtime.approve(message.given, { as: ANA, via: 'app' })
      return null
    case 'result':
      return resultOf(runtime, message.given)
    case 'replay':
      return runtime.replay(message.given)
    case 'verify':
      return runtime.verify(message.given)
    case 'ledger':
      return ledger.rows()
    case 'close':
      await runtime.close()
      ledger.close()
      return null
  }
}

async function begin({ where, ledger: file, dead, follow: wanted }: Begin): Promise<null> {
  const ledger = openLedger(file, async call => {
    // The first dispatch meets a slow bank. It is never answered: by then the process is gone.
    if (call.dispatch > 1) return
    tell({ kind: 'in-the-middle' })
    await new Promise(() => undefined)
  })
  const place = storeOf(where)
  const store = await place.source(true)
  if (store.kind === 'postgres' && dead === null) await place.migrate()
  const runtime = await createRuntime({
    name: 'demo',
    store: dead === null ? store : withoutLease(store, dead),
    bus: await busOf(where, true),
    model: demoModel(),
    tools: [...mailTools(new URL('./mailbox/', import.meta.url)).map(told), ledger.tool],
    system: SYSTEM,
  })
  worker = { runtime, ledger }
  if (wanted !== null) await follow(await runtime.get(wanted.turnId), wanted.after)
  return null
}

/** A worker that was seen to die holds nothing any more: nobody waits for its lease to run out. */
function withoutLease(source: StoreSource, dead: string): StoreSource {
  return {
    kind: source.kind,
    open: async log => {
      const store = await source.open(log)
      await store.retire(dead)
      return store
    },
  }
}

/** Tells when the tool really runs. */
function told(tool: Tool): Tool {
  return {
    ...tool,
    run: (args, call) => {
      tell({ kind: 'ran', tool: tool.descriptor.name })
      return tool.run(args, call)
    },
  }
}

/** Tells every event of the turn from there on. */
async function follow(turn: TurnHandle, after: number): Promise<string> {
  const telling = async () => {
    for await (const event of turn.events({ after })) tell({ kind: 'event', event })
  }
  // When the channel or the store is gone, so is whoever listened.
  telling().catch(() => undefined)
  return turn.id
}

/** The turn may rest for a person on its way; its end is what is asked for. */
async function resultOf(runtime: Runtime, turnId: string) {
  const turn = await runtime.get(turnId)
  for await (const _event of turn.events());
  return turn.result()
}
