// The memory store stands for Postgres in simulations. So both are sent the same calls, chosen by chance, and must answer the same.

import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { TurnRow } from '../../machines/ports/rows.ts'
import type { Store } from '../../machines/ports/store.ts'
import { memoryDatabase, openMemory } from '../../store/memory.ts'
import { openPostgres } from '../../store/postgres.ts'
import { describeWithPostgres, freshSchema } from '../servers.ts'
import { HOUR, linksOf, unique, upTo } from './stage.ts'
import { appendAt, callRecorded, holdRow, newTurn, placeBehind, type Place } from './streams.ts'

const slot = fc.nat({ max: 2 })
const late = fc.constantFrom(0, 0, 1)
const wake = fc.constantFrom('now' as const, 'soon' as const, null)

/** What may happen. Slots stand for turns and workers, `late` for a writer that has not read the last appends. */
const step = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('open' as const),
      turn: slot,
      owner: fc.option(slot),
      key: fc.option(slot),
      digest: slot,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      turn: slot,
      late: fc.constantFrom(0, 0, 0, 1, 3),
      epoch: fc.constantFrom(null, 0, 0, -1),
      wake,
      facts: fc.integer({ min: 1, max: 3 }),
      release: fc.boolean(),
      end: fc.boolean(),
      published: fc.nat({ max: 4 }),
      hold: fc.boolean(),
      settle: fc.boolean(),
      box: fc.option(slot),
      drop: fc.option(slot),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('claim' as const),
      worker: slot,
      count: fc.nat({ max: 3 }),
      turn: fc.option(slot, { freq: 2 }),
      tools: fc.boolean(),
      dying: fc.constantFrom(0, 0, 1, 5),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('release' as const), turn: slot, late, epoch: late.map(by => -by), wake }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('heartbeat' as const), worker: slot, turns: fc.subarray([0, 1, 2]), late }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('retire' as const), worker: slot, replaced: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.constantFrom(1000, HOUR) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('acknowledge' as const), turn: slot, version: fc.nat({ max: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('erase' as const), turn: slot, versions: fc.option(fc.subarray([1, 2, 3, 4])) }) },
)
const said = fc.constantFrom('a' as const, 'nothing' as const, 'unsaid' as const)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** What the runs know: the turns by slot with the ends of their streams, and the workers by slot. */
type World = {
  readonly stores: readonly Store[]
  readonly tenant: string
  readonly ends: Map<number, Place[]>
  readonly workers: string[]
  /** What the workers say that they have. */
  readonly serves: 'a' | 'nothing' | 'unsaid'
}

describeWithPostgres('the memory store', url => {
  it('answers as Postgres does, whatever it is asked', { timeout: 240_000 }, async () => {
    const stores = [openMemory(memoryDatabase()), await openPostgres(url, { schema: freshSchema(), migrate: true })]
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60 }), said, async (steps, serves) => {
        const workers = upTo(3).map(() => unique('worker'))
        const world: World = { stores, tenant: unique('tenant'), ends: new Map(), workers, serves }
        for (const worker of workers) await enlist(world, worker)
        for (const turn of [0, 1]) await open(world, { do: 'open', turn, owner: null, key: null, digest: 0 })
        for (const each of steps) {
          await both(world, store => store.advance(2))
          await take(world, each)
          await both(world, store => rowsOf(store, world))
        }
        await both(world, store => everythingOf(store, world))
      }),
      { numRuns: 40, endOnFailure: true },
    )
    for (const store of stores) await store.close()
  })
})

/** Asks both the same and expects the same answer. */
async function both<T>({ stores }: World, ask: (store: Store) => Promise<T>): Promise<T> {
  const [memory, postgres] = await Promise.all(stores.map(ask))
  expect(memory).toEqual(postgres)
  return memory as T
}

async function take(world: World, step: Step): Promise<void> {
  const { workers } = world
  switch (step.do) {
    case 'open':
      return open(world, step)
    case 'append':
      return append(world, step)
    case 'claim':
      return claim(world, step)
    case 'release': {
      const place = placeOf(world, step.turn, step.late)
      const epoch = (await epochOf(world, place)) + step.epoch
      await both(world, async store => store.release(place.turnId, epoch, place.version, await wakeOf(store, step.wake)))
      return
    }
    case 'heartbeat': {
      const held = await Promise.all(
        step.turns.map(async turn => {
          const { turnId, version } = placeOf(world, turn, step.late)
          return { turnId, version, epoch: await epochOf(world, { turnId }) }
        }),
      )
      await both(world, async store => {
        const { alive, moved } = await store.heartbeat(workers[step.worker] as string, HOUR, held)
        return { alive, moved: moved.toSorted() }
      })
      return
    }
    case 'retire':
      return retire(world, step.worker, step.replaced)
    case 'advance': {
      await both(world, store => store.advance(step.ms))
      return
    }
    case 'acknowledge': {
      const { turnId } = placeOf(world, step.turn)
      await both(world, store => store.acknowledge([{ turnId, version: step.version }]))
      return
    }
    case 'erase': {
      await both(world, store => store.erase(placeOf(world, step.turn).turnId, step.versions ?? undefined))
      return
    }
  }
}

async function open(world: World, step: Extract<Step, { do: 'open' }>): Promise<void> {
  const { tenant, workers, ends } = world
  if (ends.has(step.turn)) return
  const turn = newTurn({
    tenant,
    runtime: tenant,
    key: step.key === null ? null : `key-${step.key}`,
    contentDigest: `digest-${step.digest}`,
    owner: step.owner === null ? null : (workers[step.owner] as string),
    offers: step.digest === 2 ? ['a'] : [],
  })
  const { answer } = await both(world, store => store.open(turn))
  if (answer === 'opened') ends.set(step.turn, [placeBehind(turn)])
}

/** Claims; or claims and dies, so many times in a row, as what takes its workers down does. */
async function claim(world: World, step: Extract<Step, { do: 'claim' }>): Promise<void> {
  const named = step.turn === null ? {} : { turnId: placeOf(world, step.turn).turnId }
  const shared = { count: step.count, runtime: world.tenant, tools: step.tools ? ['a'] : [], format: 1, ...named }
  for (const _ of upTo(Math.max(1, step.dying))) {
    const request = { ...shared, worker: world.workers[step.worker] as string }
    await both(world, async store => (await store.claim(request)).toSorted((a, b) => (a.turnId < b.turnId ? -1 : 1)))
    if (step.dying > 0) await retire(world, step.worker, true)
  }
}

async function retire(world: World, slot: number, replaced: boolean): Promise<void> {
  await both(world, store => store.retire(world.workers[slot] as string))
  if (!replaced) return
  world.workers[slot] = unique('worker')
  await enlist(world, world.workers[slot] ?? '')
}

async function enlist(world: World, worker: string): Promise<void> {
  const serves = world.serves === 'unsaid' ? undefined : { runtime: world.tenant, tools: world.serves === 'a' ? ['a'] : [] }
  await both(world, store => store.enlist(worker, HOUR, serves))
}

async function append(world: World, step: Extract<Step, { do: 'append' }>): Promise<void> {
  const place = placeOf(world, step.turn, step.late)
  const epoch = step.epoch === null ? null : (await epochOf(world, place)) + step.epoch
  const ordinal = place.version
  const opened = [holdRow(place, { ordinal, openedAt: Date.UTC(2026, 0, 1) + ordinal })]
  const saying = appendAt(place, {
    epoch,
    release: step.release,
    published: step.published,
    facts: upTo(step.facts).map(nth => callRecorded(nth)),
    approvals: { open: step.hold ? opened : [], settle: step.settle ? [{ approvalId: `${place.turnId}.1.1`, settled: 'closed' }] : [] },
    sealed: {
      put: step.box === null ? [] : [{ ordinal: step.box, box: new Uint8Array([place.version]) }],
      drop: step.drop === null ? [] : [step.drop],
    },
  })
  const { answer } = await both(world, async store => {
    const state = step.end ? 'cancelled' : 'working'
    const projection = { ...saying.projection, state, wakeAt: await wakeOf(store, step.wake) } as const
    const { answer } = await store.append({ ...saying, projection })
    return { answer }
  })
  if (answer === 'accepted') world.ends.get(step.turn)?.push(placeBehind(saying))
}

/** The end of a turn's stream, or one from so many appends ago. A slot that holds no turn gives one that nobody opened. */
function placeOf({ ends, tenant }: World, slot: number, ago = 0): Place {
  const places = ends.get(slot) ?? []
  return places[Math.max(0, places.length - 1 - ago)] ?? placeBehind(newTurn({ tenant }))
}

async function epochOf({ stores: [memory] }: World, { turnId }: Pick<Place, 'turnId'>): Promise<number> {
  return (await memory?.turn(turnId))?.epoch ?? 0
}

async function wakeOf(store: Store, wake: 'now' | 'soon' | null): Promise<'now' | number | null> {
  return wake === 'soon' ? (await store.now()) + HOUR / 2 : wake
}

/** The rows without what differs by nature: the times. Of the wake-up is kept whether it is due. */
async function rowsOf(store: Store, { tenant }: World): Promise<unknown[]> {
  const now = await store.now()
  const { turns } = await store.list({ tenant, limit: 1000 })
  return turns.map(({ openedAt, updatedAt, wakeAt, ...row }: TurnRow) => ({
    ...row,
    wake: wakeAt === null ? 'never' : wakeAt <= now ? 'due' : 'later',
    grew: updatedAt > openedAt,
  }))
}

async function everythingOf(store: Store, { tenant, ends }: World): Promise<unknown> {
  const ids = [...ends.values()].flatMap(places => places.slice(0, 1).map(place => place.turnId))
  const streams = await Promise.all(ids.map(id => store.read(id)))
  const lists = await Promise.all(ids.flatMap(id => [0, 1, 2].map(async ordinal => [...((await store.sealed(id, ordinal)) ?? [])])))
  const lagging = await store.unpublished(0, 100_000)
  return {
    streams,
    links: streams.map(linksOf),
    sealed: lists,
    inbox: [await store.approvals({ tenant, limit: 1000 }), await store.approvals({ tenant, limit: 1000, settled: true })],
    cancelled: (await store.list({ tenant, state: ['cancelled'], limit: 1000 })).turns.map(row => row.turnId),
    lagging: lagging.filter(({ turnId }) => ids.includes(turnId)),
    heads: (await store.heads(0, null, 100_000)).filter(({ turnId }) => ids.includes(turnId)),
    keys: await Promise.all(upTo(3).map(async nth => (await store.turnByKey(tenant, `key-${nth - 1}`))?.turnId)),
  }
}
