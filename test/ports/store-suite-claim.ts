// Who may drive what: due turns of the right kind, one owner at a time, wake-ups and deadlines.

import { describe, expect, it } from 'vitest'
import { HOUR, unique, upTo, type Stage } from './stage.ts'
import { approvalGranted, eventsAt, newTurn, ofSchema, roundFailed, turnCompleted } from './streams.ts'

export function claimSuite(stage: () => Stage): void {
  describe('claim', () => {
    it('takes a turn that nobody owns and raises its epoch', async () => {
      const { tenant, open, worker, claim, row } = stage()
      const place = await open()
      const id = await worker()
      expect(await claim(id)).toEqual([{ turnId: place.turnId, tenant, epoch: 1, version: 1 }])
      expect(await row(place)).toMatchObject({ owner: id, epoch: 1 })
    })

    it('leaves a turn to the worker that opened it', async () => {
      const { open, worker, claim, row } = stage()
      const opener = await worker()
      const place = await open({ owner: opener })
      expect(await row(place)).toMatchObject({ owner: opener, epoch: 1 })
      expect(await claim(await worker())).toEqual([])
    })

    it('gives a turn to one of many workers', async () => {
      const { stores, runtime, open, worker } = stage()
      const places = await Promise.all(upTo(30).map(() => open()))
      const workers = await Promise.all(upTo(6).map(() => worker()))
      const taken: string[] = []
      while (taken.length < places.length) {
        const rounds = await Promise.all(
          workers.map((id, index) => (stores[index % 2] ?? stores[0]).claim({ worker: id, count: 3, runtime, tools: [], format: 1 })),
        )
        for (const claimed of rounds) expect(claimed.length).toBeLessThanOrEqual(3)
        taken.push(...rounds.flat().map(({ turnId }) => turnId))
      }
      expect(taken.toSorted()).toEqual(places.map(({ turnId }) => turnId).toSorted())
    })

    it('takes only turns of its runtime, whose tools it has and whose events it can read', async () => {
      const { store, tenant, runtime, worker, claim } = stage()
      const newer = newTurn({ tenant, runtime })
      const turns = {
        plain: newTurn({ tenant, runtime }),
        offering: newTurn({ tenant, runtime, offers: ['find_order', 'refund'] }),
        elsewhere: newTurn({ tenant, runtime: unique('runtime') }),
        newer: { ...newer, events: newer.events.map(event => ofSchema(2, event)) },
      }
      for (const turn of Object.values(turns)) expect(await store.open(turn)).toEqual({ answer: 'opened' })
      const ids = async (given: Parameters<typeof claim>[1]) => (await claim(await worker(), given)).map(({ turnId }) => turnId)
      expect(await ids({ tools: ['find_order'] })).toEqual([turns.plain.turnId])
      expect(await ids({ tools: ['refund', 'other', 'find_order'] })).toEqual([turns.offering.turnId])
      expect(await ids({ format: 2 })).toEqual([turns.newer.turnId])
      expect(await ids({ runtime: turns.elsewhere.runtime })).toEqual([turns.elsewhere.turnId])
    })

    it('does not take a turn that a newer release appended to', async () => {
      const { open, write, worker, claim } = stage()
      const place = await open()
      const events = eventsAt(place, [roundFailed(1)]).map(event => ofSchema(2, event))
      await write(place, { events })
      expect(await claim(await worker(), { format: 1 })).toEqual([])
      expect(await claim(await worker(), { format: 2 })).toHaveLength(1)
    })

    it('takes one named turn and no other', async () => {
      const { open, worker, claim } = stage()
      const [, wanted] = [await open(), await open(), await open()]
      const claimed = await claim(await worker(), { turnId: wanted.turnId })
      expect(claimed.map(({ turnId }) => turnId)).toEqual([wanted.turnId])
      expect(await claim(await worker(), { turnId: newTurn().turnId })).toEqual([])
      expect(await claim(await worker(), { turnId: wanted.turnId })).toEqual([])
    })

    it('gives nothing to a worker whose lease has ended', async () => {
      const { store, open, worker, claim } = stage()
      await open()
      const id = await worker()
      await store.retire(id)
      expect(await claim(id)).toEqual([])
      expect(await claim(await worker())).toHaveLength(1)
    })

    it('takes nothing that has ended', async () => {
      const { owned, write, worker, claim, store } = stage()
      const { place, epoch, worker: owner } = await owned()
      await write(place, { epoch, facts: [turnCompleted()], projection: { state: 'completed', wakeAt: null } })
      await store.retire(owner)
      expect(await claim(await worker())).toEqual([])
    })
  })

  describe('release', () => {
    it('lets go, and wakes the turn now, at a time, or never', async () => {
      const { store, owned, row, claim, worker } = stage()
      const [now, later, never] = [await owned(), await owned(), await owned()]
      const deadline = (await store.now()) + HOUR
      expect(await store.release(now.place.turnId, now.epoch, 1, 'now')).toBe(true)
      expect(await store.release(later.place.turnId, later.epoch, 1, deadline)).toBe(true)
      expect(await store.release(never.place.turnId, never.epoch, 1, null)).toBe(true)
      expect(await row(later.place)).toMatchObject({ owner: null, epoch: later.epoch, wakeAt: deadline })
      expect(await row(never.place)).toMatchObject({ owner: null, wakeAt: null })
      const ids = async () => (await claim(await worker(4 * HOUR))).map(({ turnId }) => turnId)
      expect(await ids()).toEqual([now.place.turnId])
      await store.advance(HOUR + 1)
      expect(await ids()).toEqual([later.place.turnId])
    })

    it('is refused when something was appended between the fold and it', async () => {
      const { store, owned, write, row } = stage()
      const { place, epoch, worker } = await owned()
      await write(place, { facts: [approvalGranted(place.turnId)] })
      expect(await store.release(place.turnId, epoch, place.version, null)).toBe(false)
      expect(await row(place)).toMatchObject({ owner: worker, epoch })
      expect((await row(place)).wakeAt).toBeLessThanOrEqual(await store.now())
    })

    it('is refused under another epoch, and for a turn that is not there', async () => {
      const { store, owned, row } = stage()
      const { place, epoch, worker } = await owned()
      expect(await store.release(place.turnId, epoch - 1, 1, null)).toBe(false)
      expect(await store.release(newTurn().turnId, 1, 1, null)).toBe(false)
      expect(await row(place)).toMatchObject({ owner: worker })
    })
  })

  describe('a resting turn', () => {
    it.each([
      ['that waits for a deadline', HOUR],
      ['that waits for nothing', null],
    ])('%s is due once somebody appends', async (_, wait) => {
      const { store, owned, write, worker, claim } = stage()
      const { place, epoch } = await owned()
      const wakeAt = wait === null ? null : (await store.now()) + wait
      const rested = await write(place, { epoch, release: true, projection: { state: 'holding', wakeAt } })
      expect(await claim(await worker())).toEqual([])
      await write(rested, { facts: [approvalGranted(place.turnId)], projection: { state: 'working', wakeAt } })
      expect(await claim(await worker())).toMatchObject([{ turnId: place.turnId, epoch: epoch + 1, version: 3 }])
    })
  })
}
