// What the bus still lacks, what `doctor` is told, and the end of a handle.

import { describe, expect, it } from 'vitest'
import { HOUR, MINUTE, upTo, type Stage } from './stage.ts'
import { appendAt, newTurn, turnCompleted, type Place } from './streams.ts'

export function outboxSuite(stage: () => Stage): void {
  describe('published', () => {
    it('lists turns without an owner that lag, the oldest first, until they are acknowledged', async () => {
      const { store, other, open, write } = stage()
      const places: Place[] = []
      for (const place of [await open(), await open(), await open()].toReversed()) {
        places.push(await write(place))
        await store.advance(1)
      }
      const mine = async (lagMs: number) => {
        const found = await other.unpublished(lagMs, 100_000)
        return found.filter(({ turnId }) => places.some(place => place.turnId === turnId))
      }
      expect(await mine(MINUTE)).toEqual([])
      await store.advance(MINUTE)
      expect(await mine(MINUTE)).toEqual(places.map(({ turnId }) => ({ turnId, published: 0, version: 2 })))
      await store.acknowledge(places.map(({ turnId }, index) => ({ turnId, version: index === 0 ? 1 : 2 })))
      expect(await mine(MINUTE)).toEqual([{ turnId: places[0]?.turnId, published: 1, version: 2 }])
      expect((await other.unpublished(0, 1)).length).toBeLessThanOrEqual(1)
    })

    it('leaves a turn to its living owner until it ends or the owner dies', async () => {
      const { store, owned, write } = stage()
      const [busy, ended, orphan] = [await owned(), await owned(), await owned()]
      await write(ended.place, { epoch: ended.epoch, facts: [turnCompleted()], projection: { state: 'completed', wakeAt: null } })
      await store.retire(orphan.worker)
      const lagging = (await store.unpublished(0, 100_000)).map(({ turnId }) => turnId)
      expect(lagging).toContain(ended.place.turnId)
      expect(lagging).toContain(orphan.place.turnId)
      expect(lagging).not.toContain(busy.place.turnId)
      await store.retire(busy.worker)
      expect((await store.unpublished(0, 100_000)).map(({ turnId }) => turnId)).toContain(busy.place.turnId)
    })

    it('never falls, whoever says less', async () => {
      const { store, other, open, write, row } = stage()
      let place = await write(await open(), { published: 1 })
      await store.acknowledge([{ turnId: place.turnId, version: 2 }])
      await other.acknowledge([{ turnId: place.turnId, version: 1 }])
      expect((await row(place)).published).toBe(2)
      place = await write(place, { published: 1 })
      await write(place)
      expect((await row(place)).published).toBe(2)
      await store.acknowledge([])
    })

    it('never rises above what there is', async () => {
      const { store, open, row } = stage()
      const place = await open()
      await store.acknowledge([{ turnId: place.turnId, version: 99 }])
      expect((await row(place)).published).toBe(1)
    })
  })

  describe('health', () => {
    it('counts open, parked and unowned turns and what the bus lacks', async () => {
      const { store, open, write, owned, worker, claim } = stage()
      const before = await store.health()
      await write(await open())
      await owned()
      const done = await owned()
      const end = { facts: [turnCompleted()], projection: { state: 'completed', wakeAt: null }, published: 1 } as const
      await write(done.place, { epoch: done.epoch, ...end })
      const after = await store.health()
      expect(after.turns.open - before.turns.open).toBe(2)
      expect(after.turns.unowned - before.turns.unowned).toBe(1)
      expect(after.backlog - before.backlog).toBe(4)
      expect(after).toMatchObject({ migrated: true })
      for (const _ of upTo(5)) {
        const id = await worker()
        await claim(id)
        await store.retire(id)
      }
      await claim(await worker())
      expect((await store.health()).turns.parked - before.turns.parked).toBe(1)
    })
  })

  // The last of the suite: what comes behind it has no store.
  describe('a closed handle', () => {
    it('is out of reach, and may be closed again', async () => {
      const { store, stores, open } = stage()
      const place = await open()
      for (const each of [...stores, ...stores]) await each.close()
      const answers = await Promise.allSettled([
        store.turn(place.turnId),
        store.read(place.turnId),
        store.now(),
        store.feedEnd(),
        store.list({ limit: 1 }),
        store.append(appendAt(place)),
        store.open(newTurn()),
        store.heartbeat('worker', HOUR, []),
      ])
      const refused = { status: 'rejected', reason: expect.objectContaining({ code: 'store_unreachable' }) }
      expect(answers).toEqual(answers.map(() => refused))
    })
  })
}
