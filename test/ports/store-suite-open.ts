// Opening streams: durable and readable by all, once for a key, with its row and what stands beside it.

import { describe, expect, it } from 'vitest'
import { unique, upTo, type Stage } from './stage.ts'
import { ANA, holdRow, newTurn } from './streams.ts'

export function openSuite(stage: () => Stage): void {
  describe('open', () => {
    it('makes a stream that another process can read', async () => {
      const { store, other, tenant, runtime } = stage()
      const turn = newTurn({ tenant, runtime })
      expect(await store.open(turn)).toEqual({ answer: 'opened' })
      expect(await other.read(turn.turnId)).toEqual(turn.events)
    })

    it('shows all of the turn in its row', async () => {
      const { tenant, runtime, open, row, store } = stage()
      const key = unique('key')
      const labels = { conversation: 'c-17', 'an odd "name"': "it's \u00fc" }
      const place = await open({ key, labels, projection: { state: 'working', attempt: 1, tools: ['a', 'b'], outcomes: ['executed'] } })
      const { openedAt, updatedAt, wakeAt, ...found } = await row(place)
      expect(found).toEqual({
        turnId: place.turnId,
        tenant,
        runtime,
        key,
        labels,
        principal: ANA,
        state: 'working',
        code: null,
        attempt: 1,
        tools: ['a', 'b'],
        outcomes: ['executed'],
        version: 1,
        head: place.hash,
        owner: null,
        epoch: 0,
        parked: false,
        published: 0,
      })
      expect(updatedAt).toBe(openedAt)
      expect(wakeAt).toBeLessThanOrEqual(await store.now())
      expect(await store.turnByKey(tenant, key)).toEqual(await row(place))
    })

    it('keeps a turn for which nobody acts', async () => {
      const { open, row } = stage()
      expect((await row(await open({ principal: null }))).principal).toBeNull()
    })

    it('keeps the key of the turn for those who ask for it', async () => {
      const { other, open } = stage()
      const turnKey = Buffer.from(upTo(32))
      const { turnId } = await open({ turnKey })
      turnKey.fill(0)
      const secrets = await other.secrets(turnId)
      expect([...(secrets?.turnKey ?? [])]).toEqual(upTo(32))
    })

    it('knows nothing of turns and keys that were never opened', async () => {
      const { store, tenant } = stage()
      const { turnId } = newTurn()
      expect(await store.turn(turnId)).toBeNull()
      expect(await store.secrets(turnId)).toBeNull()
      expect(await store.turnByKey(tenant, 'no such key')).toBeNull()
      expect(await store.read(turnId)).toEqual([])
      expect(await store.sealed(turnId, 1)).toBeNull()
      expect(await store.approval(`${turnId}.1.1`)).toBeNull()
    })

    it('writes the inbox and sealed boxes in the same statement', async () => {
      const { other, tenant, open } = stage()
      const { turnId } = newTurn()
      const hold = holdRow({ turnId, tenant })
      const box = new Uint8Array([0, 255])
      await open({ turnId, approvals: { open: [hold], settle: [] }, sealed: { put: [{ ordinal: 1, box }], drop: [] } })
      expect(await other.approval(hold.approvalId)).toEqual(hold)
      expect([...((await other.sealed(turnId, 1)) ?? [])]).toEqual([0, 255])
    })

    it('refuses events that are no beginning of a stream', async () => {
      const { store, tenant, open } = stage()
      const place = await open()
      const turn = newTurn({ tenant })
      for (const events of [[], newTurn({ tenant }).events, turn.events.map(event => ({ ...event, version: 2 }))]) {
        await expect(store.open({ ...turn, events })).rejects.toMatchObject({ code: 'option_invalid' })
      }
      expect(await store.turn(turn.turnId)).toBeNull()
      expect(await store.read(place.turnId)).toHaveLength(1)
    })
  })

  describe('open with a key', () => {
    it('finds the turn of the same content, and writes nothing', async () => {
      const { store, other, open } = stage()
      const key = unique('key')
      const first = await open({ key })
      const again = newTurn({ tenant: first.tenant, key })
      expect(await other.open(again)).toEqual({ answer: 'existing', turnId: first.turnId })
      expect(await store.turn(again.turnId)).toBeNull()
      expect(await store.read(again.turnId)).toEqual([])
    })

    it('refuses other content', async () => {
      const { store, open } = stage()
      const key = unique('key')
      const first = await open({ key })
      const other = newTurn({ tenant: first.tenant, key, contentDigest: 'other content' })
      expect(await store.open(other)).toEqual({ answer: 'conflict', turnId: first.turnId })
    })

    it('opens the same key once for each tenant', async () => {
      const { open } = stage()
      const key = unique('key')
      const one = await open({ key })
      const two = await open({ key, tenant: unique('tenant') })
      expect(two.turnId).not.toBe(one.turnId)
    })

    it('opens every turn that has none', async () => {
      const { open } = stage()
      await open({ key: null })
      await open({ key: null })
    })

    it('lets one of twenty win that open at once, and shows it to the others', async () => {
      const { stores, tenant } = stage()
      const key = unique('key')
      const turns = upTo(20).map(() => newTurn({ tenant, key }))
      const answers = await Promise.all(turns.map((turn, index) => (stores[index % 2] ?? stores[0]).open(turn)))
      const winners = turns.filter((_, index) => answers[index]?.answer === 'opened')
      expect(winners).toHaveLength(1)
      const existing = answers.filter(answer => answer.answer === 'existing')
      expect(existing.map(answer => answer.turnId)).toEqual(Array(19).fill(winners[0]?.turnId))
    })

    it('finds its own turn when the same opening is sent again, as after a lost answer', async () => {
      const { store, other, tenant } = stage()
      const turn = newTurn({ tenant, key: unique('key') })
      expect(await store.open(turn)).toEqual({ answer: 'opened' })
      expect(await other.open(turn)).toEqual({ answer: 'opened' })
      expect(await store.read(turn.turnId)).toHaveLength(1)
    })
  })
}
