// What waits for people beside the stream: holds that open and settle with their events, and sealed arguments.

import { describe, expect, it } from 'vitest'
import type { ApprovalRow, ListFilter } from '../../machines/ports/rows.ts'
import type { Principal } from '../../machines/principal.ts'
import { unique, upTo, type Stage } from './stage.ts'
import { appendAt, approvalGranted, holdRow, type Place } from './streams.ts'

export function inboxSuite(stage: () => Stage): void {
  describe('the inbox', () => {
    it('shows a hold as it was opened, until it is settled', async () => {
      const { store, other, tenant, open, write } = stage()
      const place = await open()
      const hold = holdRow(place, {
        kind: 'clarification',
        arguments: { text: 'a\0b \ud800', list: [1, null] },
        acting: null,
        approvers: [{ issuer: 'i', id: 'boss' }],
        reason: "it's so",
        contentTrust: 'trusted',
      })
      const held = await write(place, { approvals: { open: [hold], settle: [] } })
      expect(await other.approval(hold.approvalId)).toEqual(hold)
      expect(await other.approvals({ tenant, limit: 10 })).toEqual({ approvals: [hold], next: null })
      expect((await other.approvals({ tenant, limit: 10, settled: true })).approvals).toEqual([])
      await write(held, { facts: [approvalGranted(place.turnId)], approvals: { open: [], settle: [settled(hold, 'answered')] } })
      expect(await other.approval(hold.approvalId)).toEqual({ ...hold, settled: 'answered' })
      expect((await store.approvals({ tenant, limit: 10 })).approvals).toEqual([])
      expect((await store.approvals({ tenant, limit: 10, settled: true })).approvals).toEqual([{ ...hold, settled: 'answered' }])
    })

    it('keeps every way a hold can be settled, and the first one stands', async () => {
      const { store, open, write } = stage()
      let place = await open()
      const words = ['granted', 'denied', 'expired', 'answered', 'closed'] as const
      const holds = words.map((_, index) => holdRow(place, { ordinal: index + 1 }))
      place = await write(place, { approvals: { open: holds, settle: [] } })
      const settle = holds.map((hold, index) => settled(hold, words[index] ?? 'closed'))
      place = await write(place, { approvals: { open: [], settle } })
      await write(place, { approvals: { open: [], settle: holds.map(hold => settled(hold, 'closed')) } })
      const rows = await Promise.all(holds.map(hold => store.approval(hold.approvalId)))
      expect(rows.map(row => row?.settled)).toEqual([...words])
    })

    it('changes with its events or not at all', async () => {
      const { store, open, write } = stage()
      const place = await open()
      const [first, second] = [holdRow(place, { ordinal: 1 }), holdRow(place, { ordinal: 2 })]
      await write(place, { approvals: { open: [first], settle: [] } })
      const late = appendAt(place, { approvals: { open: [second], settle: [settled(first, 'granted')] } })
      expect(await store.append(late)).toEqual({ answer: 'moved' })
      expect(await store.approval(first.approvalId)).toEqual(first)
      expect(await store.approval(second.approvalId)).toBeNull()
    })

    it('shows a hold once: an append that would open it again fails', async () => {
      const { store, open, write } = stage()
      const place = await open()
      const hold = holdRow(place)
      const held = await write(place, { approvals: { open: [hold], settle: [] } })
      const again = appendAt(held, { approvals: { open: [{ ...hold, reason: 'another' }], settle: [] } })
      expect(await store.append(again)).toMatchObject({ answer: 'failed' })
      expect(await store.approval(hold.approvalId)).toEqual(hold)
      expect(await store.read(place.turnId)).toHaveLength(2)
    })

    it('is filtered by the turns of its holds', async () => {
      const { store, tenant, open, write } = stage()
      const principal: Principal = { issuer: 'i', id: 'p', kind: 'person', scopes: [] }
      const wanted = await holding(open, write, { labels: { team: 'blue' }, principal })
      await holding(open, write, { labels: { team: 'red' } })
      await holding(open, write, { tenant: unique('tenant') })
      const filters: Partial<ListFilter>[] = [{ labels: { team: 'blue' } }, { principal: { id: 'p', issuer: 'i' } }]
      for (const filter of filters) {
        const { approvals } = await store.approvals({ tenant, limit: 10, ...filter })
        expect(approvals.map(row => row.turnId)).toEqual([wanted.turnId])
      }
      expect((await store.approvals({ tenant, limit: 10, state: ['holding'] })).approvals).toHaveLength(2)
      expect((await store.approvals({ tenant, limit: 10, state: ['asking'] })).approvals).toEqual([])
    })

    it('gives its pages newest first, without gaps or doubles', async () => {
      const { store, tenant, open, write } = stage()
      const place = await open()
      const start = Date.UTC(2026, 0, 1)
      const holds = upTo(10).map(ordinal => holdRow(place, { ordinal, openedAt: start + Math.floor(ordinal / 3) }))
      await write(place, { approvals: { open: holds, settle: [] } })
      const seen: ApprovalRow[] = []
      let cursor: string | undefined
      for (;;) {
        const page = await store.approvals({ tenant, limit: 3, ...(cursor === undefined ? {} : { cursor }) })
        expect(page.approvals.length).toBeLessThanOrEqual(3)
        seen.push(...page.approvals)
        if (page.next === null) break
        cursor = page.next
      }
      const times = seen.map(row => row.openedAt)
      expect(times).toEqual(times.toSorted((a, b) => b - a))
      expect(seen.map(row => row.ordinal).toSorted((a, b) => a - b)).toEqual(upTo(10))
    })
  })

  describe('sealed arguments', () => {
    it('are put and taken away with the events of their call', async () => {
      const { store, other, open, write } = stage()
      const place = await open()
      const box = Buffer.from([0, 1, 127, 128, 255])
      const put = await write(place, {
        sealed: {
          put: [
            { ordinal: 1, box },
            { ordinal: 2, box: new Uint8Array([9]) },
          ],
          drop: [],
        },
      })
      box.fill(7)
      expect([...((await other.sealed(place.turnId, 1)) ?? [])]).toEqual([0, 1, 127, 128, 255])
      expect(await store.append(appendAt(place, { sealed: { put: [], drop: [1] } }))).toEqual({ answer: 'moved' })
      expect(await other.sealed(place.turnId, 1)).not.toBeNull()
      await write(put, { sealed: { put: [], drop: [1] } })
      expect(await other.sealed(place.turnId, 1)).toBeNull()
      expect([...((await other.sealed(place.turnId, 2)) ?? [])]).toEqual([9])
    })
  })
}

function settled(hold: ApprovalRow, word: NonNullable<ApprovalRow['settled']>) {
  return { approvalId: hold.approvalId, settled: word }
}

async function holding(open: Stage['open'], write: Stage['write'], given: Parameters<Stage['open']>[0]): Promise<Place> {
  const place = await open(given)
  return write(place, { approvals: { open: [holdRow(place)], settle: [] }, projection: { state: 'holding' } })
}
