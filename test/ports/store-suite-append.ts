// Appends: the expected version orders writers, the epoch fences owners, groups stand or fall as one.

import { describe, expect, it } from 'vitest'
import type { AppendAnswer, Store } from '../../machines/ports/store.ts'
import { upTo, versions, type Stage } from './stage.ts'
import { appendAt, eventsAt, newTurn, placeBehind, roundFailed, type Place } from './streams.ts'

export function appendSuite(stage: () => Stage): void {
  describe('append', () => {
    it('is readable by another process once it is accepted', async () => {
      const { store, other, open } = stage()
      const place = await open()
      const append = appendAt(place, { facts: [roundFailed(1), roundFailed(2)] })
      expect(await store.append(append)).toEqual({ answer: 'accepted' })
      expect(await other.read(place.turnId, 1)).toEqual(append.events)
    })

    it('carries what the row shows', async () => {
      const { open, write, row } = stage()
      const place = await write(await open(), {
        projection: { state: 'failed', code: 'model_unavailable', attempt: 2, tools: ['a'], outcomes: ['executed', 'held'] },
        published: 1,
      })
      expect(await row(place)).toMatchObject({
        state: 'failed',
        code: 'model_unavailable',
        attempt: 2,
        tools: ['a'],
        outcomes: ['executed', 'held'],
        version: 2,
        head: place.hash,
        published: 1,
      })
    })

    it('lets one of twenty win that expect the same version; the others have moved', async () => {
      const { stores, store, open, links } = stage()
      const place = await open()
      const appends = upTo(20).map(nth => appendAt(place, { facts: [roundFailed(nth), roundFailed(nth)] }))
      const answers = await Promise.all(appends.map((append, index) => handle(stores, index).append(append)))
      expect(count(answers, 'accepted')).toBe(1)
      expect(count(answers, 'moved')).toBe(19)
      const winner = appends[answers.findIndex(({ answer }) => answer === 'accepted')]
      expect(await store.read(place.turnId, 1)).toEqual(winner?.events)
      expect(await links(place)).toEqual(['whole', 'whole', 'whole'])
    })

    it('lets twenty through that each read again and retry', async () => {
      const { stores, store, open, links } = stage()
      const place = await open()
      await Promise.all(upTo(20).map(nth => appendUntilAccepted(handle(stores, nth), place, nth)))
      const events = await store.read(place.turnId)
      expect(versions(events)).toEqual(upTo(21))
      const tries = events.slice(1).map(event => (event.data as { try: number }).try)
      expect(tries.toSorted((a, b) => a - b)).toEqual(upTo(20))
      expect(new Set(await links(place))).toEqual(new Set(['whole']))
    })

    it('writes all of a group or nothing', async () => {
      const { store, open, write } = stage()
      const place = await open()
      const taken = await write(place)
      const late = appendAt(place, { facts: [roundFailed(2), roundFailed(3), roundFailed(4)] })
      expect(await store.append(late)).toEqual({ answer: 'moved' })
      expect(versions(await store.read(place.turnId))).toEqual([1, 2])
      await write(taken, { facts: upTo(50).map(roundFailed) })
      expect(versions(await store.read(place.turnId))).toEqual(upTo(52))
    })

    it('is accepted once more when the same bytes are sent again, as after a lost answer', async () => {
      const { store, other, open, write } = stage()
      const append = appendAt(await open(), { facts: [roundFailed(1), roundFailed(2)] })
      expect(await store.append(append)).toEqual({ answer: 'accepted' })
      expect(await other.append(append)).toEqual({ answer: 'accepted' })
      await write(placeBehind(append))
      expect(await store.append(append)).toEqual({ answer: 'accepted' })
      expect(versions(await store.read(append.turnId))).toEqual(upTo(4))
    })

    it('takes many turns at once, each in its own order', async () => {
      const { stores, store, open, links } = stage()
      const places = await Promise.all(upTo(40).map(() => open()))
      const ends = await Promise.all(
        places.map(async (place, index) => {
          let end = place
          for (const nth of upTo(5)) end = await accepted(handle(stores, index), end, nth)
          return end
        }),
      )
      for (const end of ends) {
        expect(versions(await store.read(end.turnId))).toEqual(upTo(6))
        expect(new Set(await links(end))).toEqual(new Set(['whole']))
      }
    })
  })

  describe('append by an owner', () => {
    it('is fenced under another epoch, whatever version it expects', async () => {
      const { store, owned, write } = stage()
      const { place, epoch } = await owned()
      const behind = await write(place, { epoch })
      for (const at of [place, behind]) {
        for (const wrong of [epoch - 1, epoch + 1]) {
          expect(await store.append(appendAt(at, { epoch: wrong }))).toEqual({ answer: 'fenced' })
        }
      }
      expect(await store.read(place.turnId)).toHaveLength(2)
    })

    it('has moved when somebody who does not own appended first', async () => {
      const { store, owned, write } = stage()
      const { place, epoch } = await owned()
      await write(place, { epoch: null })
      expect(await store.append(appendAt(place, { epoch }))).toEqual({ answer: 'moved' })
    })

    it('lets go in the same statement when it asks for that', async () => {
      const { store, owned, write, row } = stage()
      const { place, epoch, worker } = await owned()
      const held = await write(place, { epoch })
      expect(await row(place)).toMatchObject({ owner: worker, epoch })
      const wakeAt = (await store.now()) + 1000
      await write(held, { epoch, release: true, projection: { state: 'holding', wakeAt } })
      expect(await row(place)).toMatchObject({ owner: null, epoch, wakeAt, state: 'holding' })
    })

    it('keeps its turn when an append that lets go is refused', async () => {
      const { store, owned, write, row } = stage()
      const { place, epoch, worker } = await owned()
      await write(place, { epoch: null })
      expect(await store.append(appendAt(place, { epoch, release: true }))).toEqual({ answer: 'moved' })
      expect(await row(place)).toMatchObject({ owner: worker, epoch })
    })
  })

  describe('append of what is no continuation', () => {
    it('fails, and nothing is written', async () => {
      const { store, tenant, open } = stage()
      const place = await open()
      const stranger = placeBehind(newTurn({ tenant }))
      const [two, three] = eventsAt(place, [roundFailed(1), roundFailed(2)])
      if (two === undefined || three === undefined) throw new Error('two facts make two events')
      const faults = {
        'no event': [],
        'a gap': [three],
        'the wrong order': [three, two],
        'the same version twice': [two, { ...two }],
        'another head': eventsAt({ ...place, hash: stranger.hash }, [roundFailed(1)]),
        'a broken link inside the group': [two, ...eventsAt({ ...place, version: 2 }, [roundFailed(2)])],
        'another turn': eventsAt({ ...place, turnId: stranger.turnId }, [roundFailed(1)]),
      }
      for (const [fault, events] of Object.entries(faults)) {
        expect(await store.append({ ...appendAt(place), events }), fault).toMatchObject({ answer: 'failed', error: expect.any(Error) })
      }
      const places = {
        'an unknown turn': stranger,
        'a version that never was': { ...place, version: 7 },
        'a hash that never was': { ...place, hash: stranger.hash },
        'another tenant': { ...place, tenant: 'another' },
      }
      for (const [fault, at] of Object.entries(places)) expect(await store.append(appendAt(at)), fault).toMatchObject({ answer: 'failed' })
      expect(await store.read(place.turnId)).toHaveLength(1)
      expect(await store.read(stranger.turnId)).toEqual([])
    })

    it('fails alone: appends that ride with it are accepted', async () => {
      const { store, open } = stage()
      const places = await Promise.all(upTo(9).map(() => open()))
      const answers = await Promise.all(
        places.map((place, index) => {
          const good = appendAt(place)
          return store.append(index === 4 ? { ...good, events: good.events.map(event => ({ ...event, version: 7 })) } : good)
        }),
      )
      expect(answers.map(({ answer }) => answer)).toEqual(places.map((_, index) => (index === 4 ? 'failed' : 'accepted')))
    })
  })
}

function handle(stores: readonly [Store, Store], index: number): Store {
  return index % 2 === 0 ? stores[0] : stores[1]
}

function count(answers: readonly AppendAnswer[], word: AppendAnswer['answer']): number {
  return answers.filter(({ answer }) => answer === word).length
}

async function accepted(store: Store, place: Place, nth: number): Promise<Place> {
  const append = appendAt(place, { facts: [roundFailed(nth)] })
  expect(await store.append(append)).toEqual({ answer: 'accepted' })
  return placeBehind(append)
}

/** As a writer that owns nothing does: reads what is new, decides again, appends at the new end. */
async function appendUntilAccepted(store: Store, { turnId }: Place, nth: number): Promise<void> {
  for (;;) {
    const append = appendAt(placeBehind({ events: await store.read(turnId) }), { facts: [roundFailed(nth)] })
    const { answer } = await store.append(append)
    if (answer === 'accepted') return
    expect(['moved', 'busy']).toContain(answer)
  }
}
