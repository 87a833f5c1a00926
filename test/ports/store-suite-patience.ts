// When a store gives up: turns that take their workers down are parked, and no others; turns whose tools nobody has any more go to
// workers that lack them.

import { describe, expect, it } from 'vitest'
import type { Claimed } from '../../machines/ports/store.ts'
import { UNSERVED_MS } from '../../store/patience.ts'
import { HOUR, unique, upTo, type Stage } from './stage.ts'
import { appendAt, type Place } from './streams.ts'

export function patienceSuite(stage: () => Stage): void {
  describe('the park', () => {
    it('takes a turn that was claimed five times without an append, until it is claimed by name', async () => {
      const on = stage()
      const { store, tenant, open, worker, claim, row } = on
      const place = await open()
      await claimAndDie(on, place, 5)
      expect(await claim(await worker())).toEqual([])
      expect(await row(place)).toMatchObject({ parked: true, owner: null })
      expect((await store.list({ tenant, parked: true, limit: 10 })).turns).toHaveLength(1)
      expect(await claim(await worker())).toEqual([])
      expect(await store.append(appendAt(place, { epoch: 5 })), 'its last owner').toEqual({ answer: 'fenced' })
      const heir = await worker()
      expect(await claim(heir, { turnId: place.turnId })).toMatchObject([{ turnId: place.turnId }])
      expect(await row(place)).toMatchObject({ parked: false, owner: heir })
      expect((await store.list({ tenant, parked: true, limit: 10 })).turns).toEqual([])
    })

    it('does not keep a turn from who claims it by name', async () => {
      const on = stage()
      const place = await on.open()
      await claimAndDie(on, place, 5)
      const heir = await on.worker()
      expect(await on.claim(heir, { turnId: place.turnId })).toMatchObject([{ turnId: place.turnId }])
      expect(await on.row(place)).toMatchObject({ parked: false, owner: heir })
    })

    it('does not take a turn that gets on', async () => {
      const on = stage()
      const { open, write, worker, claim, row } = on
      let place = await open()
      for (const nth of upTo(3)) {
        await claimAndDie(on, place, 4)
        place = await write(place, { epoch: nth * 4 })
      }
      expect(await claim(await worker())).toHaveLength(1)
      expect(await row(place)).toMatchObject({ parked: false })
    })

    it('does not take what workers drove beside the turn that takes them down', async () => {
      const on = stage()
      const { store, tenant, open, worker } = on
      const places = new Map((await Promise.all(upTo(5).map(() => open()))).map(place => [place.turnId, place]))
      const [deadly = ''] = places.keys()
      for (const _ of upTo(12)) await liveUntilStruck(on, await worker(), places, deadly)
      const { turns } = await store.list({ tenant, parked: true, limit: 10 })
      expect(turns.map(({ turnId }) => turnId)).toEqual([deadly])
      expect([...places.values()].filter(({ version }) => version === 1)).toHaveLength(1)
    })

    it('is near for a turn that was claimed twice: a worker has one such at a time, and others beside it', async () => {
      const { store, open, write, worker, claim } = stage()
      const suspects = [await open(), await open()]
      for (const _ of upTo(2)) {
        const id = await worker()
        expect(await claim(id)).toHaveLength(2)
        await store.retire(id)
      }
      const id = await worker()
      const [first, ...more] = await claim(id)
      const place = suspects.find(({ turnId }) => turnId === first?.turnId) as Place
      expect(more).toEqual([])
      const fresh = await open()
      expect(idsOf(await claim(id))).toEqual([fresh.turnId])
      await write(place, { epoch: first?.epoch ?? 0 })
      expect(await claim(id)).toHaveLength(1)
      expect(await claim(id)).toEqual([])
    })

    it('does not take a turn that its workers let go of', async () => {
      const { store, open, worker, claim, row } = stage()
      const place = await open()
      for (const _ of upTo(7)) {
        const [claimed] = await claim(await worker())
        expect(await store.release(place.turnId, claimed?.epoch ?? 0, place.version, 'now')).toBe(true)
      }
      expect(await row(place)).toMatchObject({ parked: false })
    })
  })

  describe('a turn whose tools nobody has any more', () => {
    it('waits for a worker that has them, and goes to any other when none came', async () => {
      const { store, open, worker, claim } = stage()
      const { turnId } = await open({ offers: ['refund'] })
      const other = await worker()
      await store.enlist(unique('elsewhere'), HOUR, { runtime: unique('runtime'), tools: ['refund'] })
      expect(await claim(other)).toEqual([])
      await store.advance(UNSERVED_MS)
      expect(idsOf(await claim(other))).toEqual([turnId])
    })

    it('waits while a worker that has them is alive, and when it has just gone', async () => {
      const { store, open, worker, claim } = stage()
      const { turnId } = await open({ offers: ['refund'] })
      const [able, other] = [await worker(HOUR, ['refund', 'pay']), await worker(HOUR, ['pay'])]
      await store.advance(UNSERVED_MS)
      expect(await claim(other, { tools: ['pay'] })).toEqual([])
      await store.retire(able)
      expect(await claim(other, { tools: ['pay'] })).toEqual([])
      expect(idsOf(await claim(await worker(HOUR, ['refund']), { tools: ['refund'] }))).toEqual([turnId])
    })
  })
}

function idsOf(claimed: readonly Claimed[]): string[] {
  return claimed.map(({ turnId }) => turnId)
}

/**
 * A worker claims, appends to what it claimed and lets go of it, as long as there is any. With the turn that takes workers down it dies,
 * and has not appended to what it claimed together with that.
 */
async function liveUntilStruck(on: Stage, id: string, places: Map<string, Place>, deadly: string): Promise<void> {
  for (let claimed = await on.claim(id); claimed.length > 0; claimed = await on.claim(id)) {
    if (claimed.some(({ turnId }) => turnId === deadly)) break
    for (const { turnId, epoch } of claimed) {
      const place = places.get(turnId) as Place
      places.set(turnId, await on.write(place, { epoch, release: true, projection: { state: 'holding', wakeAt: null } }))
    }
  }
  await on.store.retire(id)
}

/** So many workers claim the turn, one after the other, and die without having done anything. */
async function claimAndDie({ store, worker, claim }: Stage, place: Place, times: number): Promise<void> {
  for (const _ of upTo(times)) {
    const id = await worker()
    expect(await claim(id)).toMatchObject([{ turnId: place.turnId }])
    await store.retire(id)
  }
}
