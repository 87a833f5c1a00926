// Leases: a worker lives while it renews; a dead one's turns go to others; the epoch stops what comes back from the dead.

import { describe, expect, it, vi } from 'vitest'
import { HOUR, unique, type Stage } from './stage.ts'
import { appendAt, type Place } from './streams.ts'

/** Milliseconds: a lease that lasts for some calls and is soon over. */
const SHORT = 2_000

export function leaseSuite(stage: () => Stage): void {
  describe('a lease', () => {
    it('keeps a turn while it is renewed', async () => {
      const { store, open, worker, claim } = stage()
      const renewed = await worker(SHORT)
      const place = await open({ owner: renewed })
      expect(await store.heartbeat(renewed, HOUR, [held(place, 1)])).toEqual({ alive: true, moved: [] })
      const later = await worker(SHORT)
      await lapse(stage(), later)
      expect(await store.heartbeat(renewed, HOUR, [held(place, 1)])).toEqual({ alive: true, moved: [] })
      expect(await claim(await worker())).toEqual([])
    })

    it('ends by the clock of the store; then its turns are there for others', async () => {
      const { open, worker, claim, row } = stage()
      const place = await open({ owner: await worker(1) })
      const heir = await worker()
      await vi.waitFor(async () => expect(await claim(heir)).toMatchObject([{ turnId: place.turnId, epoch: 2 }]), 10_000)
      expect(await row(place)).toMatchObject({ owner: heir, epoch: 2 })
    })

    it('does not end when a test moves the clock', async () => {
      const { store, owned, worker, claim } = stage()
      const { place, worker: id, epoch } = await owned()
      await store.advance(3 * HOUR)
      expect(await claim(await worker())).toEqual([])
      expect(await store.heartbeat(id, HOUR, [held(place, epoch)])).toEqual({ alive: true, moved: [] })
    })

    it('cannot be renewed once it has ended', async () => {
      const on = stage()
      const id = await on.worker(1)
      await lapse(on, id)
      for (const _ of [1, 2]) expect((await on.store.heartbeat(id, HOUR, [])).alive).toBe(false)
      expect((await on.store.heartbeat(unique('never-enlisted'), HOUR, [])).alive).toBe(false)
    })

    it('is given to an id only once', async () => {
      const { store, worker } = stage()
      const id = await worker()
      await expect(store.enlist(id, HOUR)).rejects.toMatchObject({ code: 'option_invalid' })
    })

    it('ends at once when the worker is retired', async () => {
      const { store, owned, worker, claim } = stage()
      const { place, worker: dead, epoch } = await owned()
      expect(await claim(await worker())).toEqual([])
      await store.retire(dead)
      expect((await store.heartbeat(dead, HOUR, [])).alive).toBe(false)
      expect(await claim(await worker())).toMatchObject([{ turnId: place.turnId, epoch: epoch + 1 }])
      await store.retire(unique('never-enlisted'))
    })
  })

  describe('a worker that comes back after its lease', () => {
    it('is fenced once another owns its turn', async () => {
      const { store, owned, write, worker, claim, links } = stage()
      const { place, worker: zombie } = await owned()
      await store.retire(zombie)
      expect(await claim(await worker())).toMatchObject([{ epoch: 2 }])
      expect(await store.append(appendAt(place, { epoch: 1 }))).toEqual({ answer: 'fenced' })
      expect(await store.append(appendAt(place, { epoch: 1, release: true }))).toEqual({ answer: 'fenced' })
      expect(await store.release(place.turnId, 1, 1, null)).toBe(false)
      await write(place, { epoch: 2 })
      expect(await links(place)).toEqual(['whole', 'whole'])
    })

    it('may still record what it has done while nobody else owns its turn', async () => {
      const { store, owned, write, worker, claim } = stage()
      const { place, worker: zombie } = await owned()
      await store.retire(zombie)
      const behind = await write(place, { epoch: 1 })
      expect(await claim(await worker())).toMatchObject([{ epoch: 2, version: behind.version }])
    })
  })

  describe('a heartbeat', () => {
    it('says which held turns have moved or belong to another epoch', async () => {
      const { store, owned, write, worker, claim } = stage()
      const id = await worker()
      const [still, moved, lost] = [await owned(), await owned(), await owned()]
      await write(moved.place)
      await store.retire(lost.worker)
      await claim(await worker(), { turnId: lost.place.turnId })
      const answer = await store.heartbeat(
        id,
        HOUR,
        [still, moved, lost].map(({ place, epoch }) => held(place, epoch)),
      )
      expect(answer.alive).toBe(true)
      expect(answer.moved.toSorted()).toEqual([moved.place.turnId, lost.place.turnId].toSorted())
    })

    it('releases an owned turn that is missing from two lists in a row', async () => {
      const { store, owned, worker, claim, row } = stage()
      const { place, worker: id, epoch } = await owned()
      await store.heartbeat(id, HOUR, [])
      await store.heartbeat(id, HOUR, [held(place, epoch)])
      await store.heartbeat(id, HOUR, [])
      expect(await row(place)).toMatchObject({ owner: id })
      await store.heartbeat(id, HOUR, [])
      expect(await row(place)).toMatchObject({ owner: null, epoch })
      expect(await claim(await worker())).toMatchObject([{ turnId: place.turnId, epoch: epoch + 1 }])
    })

    it('releases no turn of another worker', async () => {
      const { store, owned, worker, row } = stage()
      const { place, worker: id } = await owned()
      const stranger = await worker()
      for (const _ of [1, 2, 3]) await store.heartbeat(stranger, HOUR, [])
      expect(await row(place)).toMatchObject({ owner: id })
    })
  })

  describe('a leader', () => {
    it('is one worker by name, until its lease ends', async () => {
      const { store, other } = stage()
      const name = unique('lead')
      expect(await store.lead(name, 'a', HOUR)).toBe(true)
      expect(await other.lead(name, 'b', HOUR)).toBe(false)
      expect(await other.lead(unique('lead'), 'b', HOUR)).toBe(true)
      expect(await store.lead(name, 'a', 1)).toBe(true)
      await vi.waitFor(async () => expect(await other.lead(name, 'b', HOUR)).toBe(true), 10_000)
      expect(await store.lead(name, 'a', HOUR)).toBe(false)
    })

    it('is one of many that ask at once', async () => {
      const { stores } = stage()
      const name = unique('lead')
      const answers = await Promise.all(
        ['a', 'b', 'c', 'd', 'e', 'f'].map((worker, index) => (stores[index % 2] ?? stores[0]).lead(name, worker, HOUR)),
      )
      expect(answers.filter(mine => mine)).toHaveLength(1)
    })
  })

  describe('a wake', () => {
    it('is told of appends by those who do not own, and not after it was declined', async () => {
      const { other, tellsWakes, open, worker, write } = stage()
      if (!tellsWakes) return
      const told: string[] = []
      const decline = other.onWake(turnId => told.push(turnId))
      const owner = await worker()
      const [busy, woken, last] = [await open({ owner }), await open({ owner }), await open({ owner })]
      let end = woken
      await write(busy, { epoch: 1 })
      await vi.waitFor(async () => {
        end = await write(end, { epoch: null })
        expect(told).toContain(woken.turnId)
      }, 10_000)
      expect(told).not.toContain(busy.turnId)
      decline()
      const ear: string[] = []
      other.onWake(turnId => ear.push(turnId))
      await write(last, { epoch: null })
      await vi.waitFor(() => expect(ear).toContain(last.turnId), 10_000)
      expect(told).not.toContain(last.turnId)
    })
  })
}

/** Waits until the lease of a worker has ended, as others see it: until they can take what it owns. */
async function lapse({ open, worker, claim }: Stage, id: string): Promise<void> {
  const { turnId } = await open({ owner: id })
  const heir = await worker()
  await vi.waitFor(async () => expect(await claim(heir, { turnId })).toHaveLength(1), 10_000)
}

function held({ turnId, version }: Place, epoch: number): { turnId: string; version: number; epoch: number } {
  return { turnId, version, epoch }
}
