// Goal: what is broken is seen. A store, a bus or a tool that does not keep its word fails a run within few seeds.

import { expect, test } from 'vitest'
import type { MemoryDatabase } from '../../store/memory.ts'
import type { Plan } from './plan.ts'
import { simulate } from './run.ts'
import type { Sabotage } from './sabotage.ts'

type Case = { readonly what: string; readonly seen: RegExp; readonly sabotage: Sabotage; readonly plan?: Partial<Plan> }

/** Every n-th call. */
function every(nth: number): () => boolean {
  let calls = 0
  return () => (calls += 1) % nth === 0
}

const rowOf = (database: MemoryDatabase, turnId: string) => database.turns.get(turnId)

const CASES: readonly Case[] = [
  {
    what: 'a store that fences nobody',
    seen: /earlier epoch/,
    plan: { freeze: 0.05, clockStands: true },
    sabotage: {
      store: (store, database) => ({
        ...store,
        append: append => store.append({ ...append, epoch: append.epoch === null ? null : (rowOf(database, append.turnId)?.epoch ?? 0) }),
      }),
    },
  },
  {
    what: 'a store that lets a turn go whatever its version',
    seen: /let go to sleep while there is work to do/,
    plan: { latencyMs: 400, peopleMs: 100, kill: 0 },
    sabotage: {
      store: (store, database) => ({
        ...store,
        release: (turnId, epoch, _version, wakeAt) => store.release(turnId, epoch, rowOf(database, turnId)?.version ?? 0, wakeAt),
      }),
    },
  },
  {
    what: 'a store that nobody wakes by a decision',
    seen: /woken at another time/,
    sabotage: {
      store: (store, database) => ({
        ...store,
        append: append => {
          const answering = store.append(append)
          const row = rowOf(database, append.turnId)
          if (append.epoch === null && row !== undefined) row.wakeAt = null
          return answering
        },
      }),
    },
  },
  {
    what: 'a store that is not told who has which tools',
    seen: /not over \d+ ms after faults stopped/,
    plan: { drift: 'gone' },
    sabotage: { store: store => ({ ...store, enlist: (worker, leaseMs) => store.enlist(worker, leaseMs) }) },
  },
  {
    what: 'a store that forgets to settle the inbox',
    seen: /the inbox shows/,
    sabotage: {
      store: store => ({
        ...store,
        append: ({ approvals, ...append }) =>
          store.append({ ...append, ...(approvals === undefined ? {} : { approvals: { ...approvals, settle: [] } }) }),
      }),
    },
  },
  {
    what: 'a bus that says it has what it lost',
    seen: /first copy|never published/,
    sabotage: {
      bus: bus => {
        const loses = every(9)
        return { ...bus, publish: message => (loses() ? Promise.resolve() : bus.publish(message)) }
      },
    },
  },
  {
    what: 'a host that runs each tool twice',
    seen: /started twice/,
    sabotage: {
      tool: tool => ({
        ...tool,
        run: (args, call) => {
          void Promise.resolve(tool.run(args, call)).catch(() => undefined)
          return tool.run(args, call)
        },
      }),
    },
  },
  {
    what: 'a tool that says its dispatch did not happen without asking',
    seen: /settled as not happened|had 0 effects|effect twice/,
    plan: { kill: 0.05 },
    sabotage: { tool: tool => (tool.reconcile === undefined ? tool : { ...tool, reconcile: () => 'did-not-happen' as const }) },
  },
]

const SEEDS = 150

test.each(CASES)('$what is seen', { timeout: 120_000 }, async ({ seen, sabotage, plan }) => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { broken } = await simulate(String(seed), plan, sabotage)
    if (broken === null) continue
    expect(broken).toMatch(seen)
    return
  }
  expect.fail(`not seen in ${SEEDS} seeds`)
})
