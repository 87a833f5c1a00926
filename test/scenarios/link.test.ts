// Goal: whoever asks another process gets its answer, its error, or word that it is gone; never nothing.

import { describe, expect, it } from 'vitest'
import { GoneError, link, type Link, type Served } from '../../adapters/scenario/link.ts'
import { ToolturnError } from '../../machines/errors.ts'

/** Two sides, and between them a channel that carries text. */
function pair(served: Served): { readonly near: Link; readonly far: Link } {
  const carry = (to: () => Link) => (frame: unknown) => {
    const text = JSON.stringify(frame)
    queueMicrotask(() => to().receive(JSON.parse(text)))
  }
  const near: Link = link(
    carry(() => far),
    () => ({}),
  )
  const far: Link = link(
    carry(() => near),
    () => served,
  )
  return { near, far }
}

describe('what is asked', () => {
  it('is answered, each to its own asker, in whatever order', async () => {
    const slow = Promise.withResolvers<string>()
    const { near } = pair({ slow: () => slow.promise, quick: (word: string) => `${word}!` })
    const [first, second] = [near.ask('slow'), near.ask('quick', 'b')]
    expect(await second).toBe('b!')
    slow.resolve('a')
    expect(await first).toBe('a')
  })

  it('comes back as the error it was, by its code', async () => {
    const { near } = pair({
      typed: () => {
        throw new ToolturnError('store_busy', 'The row is locked.')
      },
      other: () => {
        throw new RangeError('out of it')
      },
    })
    await expect(near.ask('typed')).rejects.toMatchObject({ name: 'ToolturnError', code: 'store_busy', message: 'The row is locked.' })
    await expect(near.ask('other')).rejects.toMatchObject({ code: 'internal', message: expect.stringContaining('out of it') })
  })
})

describe('when the other side is gone', () => {
  it('all who wait are told, and all who ask later', async () => {
    const { near } = pair({ forever: () => new Promise(() => {}) })
    const waiting = [near.ask('forever'), near.ask('forever')]
    near.cut()
    const told = await Promise.allSettled([...waiting, near.ask('forever')])
    expect(told.map(each => each.status === 'rejected' && each.reason instanceof GoneError)).toEqual([true, true, true])
  })

  it('nothing that it still said is heard', async () => {
    const heard: string[] = []
    const near = link(
      () => {},
      () => ({ say: (word: string) => heard.push(word) }),
    )
    near.receive({ kind: 'ask', id: 1, what: 'say', given: ['a'] })
    near.cut()
    near.receive({ kind: 'ask', id: 2, what: 'say', given: ['b'] })
    expect(heard).toEqual(['a'])
  })
})
