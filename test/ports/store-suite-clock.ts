// The clock of the store: one for all processes, moved by tests alone.

import { describe, expect, it } from 'vitest'
import { HOUR, MINUTE, type Stage } from './stage.ts'

export function clockSuite(stage: () => Stage): void {
  describe('the clock', () => {
    it('is the same for every process, and moves for all of them', async () => {
      const { store, other } = stage()
      const before = await store.now()
      await store.advance(HOUR)
      expect(await other.now()).toBeGreaterThanOrEqual(before + HOUR)
      expect(await store.now()).toBeLessThan(before + 2 * HOUR)
    })

    it('never goes back', async () => {
      const { store, other } = stage()
      await expect(store.advance(-1)).rejects.toThrow()
      const seen = [await store.now(), await other.now(), await store.now()]
      expect(seen.toSorted((a, b) => a - b)).toEqual(seen)
    })

    it('is estimated without a round trip', async () => {
      const { store } = stage()
      await store.advance(HOUR)
      const difference = store.time() - (await store.now())
      expect(Math.abs(difference)).toBeLessThan(MINUTE)
    })

    it('stamps rows with the time of their first and last write', async () => {
      const { store, open, write, row } = stage()
      const place = await open()
      const opened = await row(place)
      await store.advance(HOUR)
      await write(place)
      const written = await row(place)
      expect(written.openedAt).toBe(opened.openedAt)
      expect(written.updatedAt).toBeGreaterThanOrEqual(opened.updatedAt + HOUR)
      expect(written.updatedAt).toBeLessThanOrEqual(await store.now())
    })
  })
}
