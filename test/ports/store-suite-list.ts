// Lists of turns: each filter, the order, the pages.

import { describe, expect, it } from 'vitest'
import type { ListFilter, TurnRow } from '../../machines/ports/rows.ts'
import { HOUR, unique, upTo, type Stage } from './stage.ts'

export function listSuite(stage: () => Stage): void {
  describe('list', () => {
    it('shows the turns of a tenant, newest first, as their rows', async () => {
      const { store, other, tenant, open } = stage()
      const places = []
      for (const _ of upTo(3)) {
        places.push(await open())
        await store.advance(1)
      }
      await open({ tenant: unique('tenant') })
      const { turns, next } = await other.list({ tenant, limit: 10 })
      expect(turns.map(turn => turn.turnId)).toEqual(places.map(place => place.turnId).toReversed())
      expect(turns[0]).toEqual(await other.turn(places[2]?.turnId ?? ''))
      expect(next).toBeNull()
    })

    it('keeps what every filter asks for, and only that', async () => {
      const { store, tenant, open } = stage()
      const wanted = await open({
        labels: { conversation: 'c-1', "it's": '%_"' },
        principal: { issuer: 'i', id: 'ana', kind: 'person', scopes: [] },
        projection: { state: 'failed', code: 'model_unavailable', tools: ['find', 'send'], outcomes: ['executed', 'held'] },
      })
      await open({ labels: { conversation: 'c-2' }, principal: { issuer: 'j', id: 'ana', kind: 'person', scopes: [] } })
      await open({ principal: null, projection: { state: 'completed', tools: ['finder'], outcomes: ['invalid'] } })
      const filters: [Partial<ListFilter>, number][] = [
        [{ state: ['failed'] }, 1],
        [{ state: ['failed', 'cancelled'] }, 1],
        [{ labels: { conversation: 'c-1' } }, 1],
        [{ labels: { conversation: 'c-1', "it's": '%_"' } }, 1],
        [{ principal: { id: 'ana', issuer: 'i' } }, 1],
        [{ principal: { id: 'ana' } }, 2],
        [{ tool: 'find' }, 1],
        [{ outcome: 'held' }, 1],
        [{ outcome: 'executed', tool: 'send', state: ['failed'] }, 1],
        [{ parked: false }, 3],
      ]
      for (const [filter, count] of filters) {
        const { turns } = await store.list({ tenant, limit: 10, ...filter })
        expect(turns, JSON.stringify(filter)).toHaveLength(count)
        expect(turns.map(turn => turn.turnId)).toContain(wanted.turnId)
      }
      const misses: Partial<ListFilter>[] = [
        { state: ['cancelled'] },
        { labels: { conversation: 'c-3' } },
        { labels: { conversation: 'c-1', team: 'x' } },
        { principal: { id: 'an' } },
        { principal: { id: 'ana', issuer: 'k' } },
        { tool: 'fin' },
        { outcome: 'refused' },
        { parked: true },
        { outcome: 'invalid', tool: 'find' },
      ]
      for (const filter of misses) expect((await store.list({ tenant, limit: 10, ...filter })).turns, JSON.stringify(filter)).toEqual([])
    })

    it('takes since as from then on and until as before then', async () => {
      const { store, tenant, open, row } = stage()
      const first = await row(await open())
      await store.advance(HOUR)
      const second = await row(await open())
      const ids = async (filter: Partial<ListFilter>) => (await store.list({ tenant, limit: 10, ...filter })).turns.map(turn => turn.turnId)
      expect(await ids({ since: second.openedAt })).toEqual([second.turnId])
      expect(await ids({ since: second.openedAt + 1 })).toEqual([])
      expect(await ids({ until: second.openedAt })).toEqual([first.turnId])
      expect(await ids({ since: first.openedAt, until: second.openedAt + 1 })).toEqual([second.turnId, first.turnId])
      expect(await ids({ since: first.openedAt, until: first.openedAt })).toEqual([])
    })

    it('gives its pages without gaps or doubles, also while turns are opened', async () => {
      const { store, tenant, open } = stage()
      const places = await Promise.all(upTo(25).map(() => open()))
      const seen: TurnRow[] = []
      let cursor: string | undefined
      for (;;) {
        const page = await store.list({ tenant, limit: 4, ...(cursor === undefined ? {} : { cursor }) })
        seen.push(...page.turns)
        await store.advance(1)
        await open()
        if (page.next === null) break
        expect(page.turns).toHaveLength(4)
        cursor = page.next
      }
      expect(seen.map(turn => turn.turnId).toSorted()).toEqual(places.map(place => place.turnId).toSorted())
      const times = seen.map(turn => turn.openedAt)
      expect(times).toEqual(times.toSorted((a, b) => b - a))
    })

    it('says that there is no further page when the last one is full', async () => {
      const { store, tenant, open } = stage()
      for (const _ of upTo(4)) await open()
      expect((await store.list({ tenant, limit: 4 })).next).toBeNull()
    })

    it('refuses a limit out of its range and a cursor that is none', async () => {
      const { store, tenant } = stage()
      for (const filter of [{ limit: 0 }, { limit: 1001 }, { limit: 1.5 }, { limit: 5, cursor: "no cursor'; --" }]) {
        await expect(store.list({ tenant, ...filter }), JSON.stringify(filter)).rejects.toMatchObject({ code: 'option_invalid' })
        await expect(store.approvals({ tenant, ...filter })).rejects.toMatchObject({ code: 'option_invalid' })
      }
    })
  })
}
