// Group commit by itself: who rides together, who waits, and who is answered how. Statements are played by the test.

import { describe, expect, it } from 'vitest'
import { groupCommit } from '../../store/appender.ts'
import { upTo } from './stage.ts'

type Job = { readonly key: string; readonly rows?: number; readonly bad?: boolean }

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** A carrier whose statements end when the test says so. */
function played() {
  const sent: { readonly keys: readonly string[]; readonly end: (error?: Error) => void }[] = []
  const send = groupCommit<Job, string>(
    {
      keyOf: job => job.key,
      rowsOf: job => job.rows ?? 1,
      send: jobs =>
        new Promise((resolve, reject) => {
          const end = (error?: Error) => {
            if (error !== undefined) reject(error)
            else if (jobs.some(job => job.bad)) reject(Object.assign(new Error('refused'), { code: '23514' }))
            else resolve(jobs.map(job => `done ${job.key}`))
          }
          sent.push({ keys: jobs.map(job => job.key), end })
        }),
    },
    silent,
  )
  return { sent, send }
}

const nextTurn = () => new Promise<void>(resolve => setImmediate(() => setImmediate(resolve)))

describe('group commit', () => {
  it('sends what was asked for together in one statement, and what comes while three are in flight in the next', async () => {
    const { sent, send } = played()
    const first = upTo(5).map(n => send({ key: `a${n}` }))
    await nextTurn()
    expect(sent.map(each => each.keys)).toEqual([upTo(5).map(n => `a${n}`)])
    for (const letter of ['b', 'c']) {
      void send({ key: letter })
      await nextTurn()
    }
    const later = upTo(4).map(n => send({ key: `d${n}` }))
    await nextTurn()
    expect(sent).toHaveLength(3)
    sent[0]!.end()
    expect(await Promise.all(first)).toEqual(upTo(5).map(n => `done a${n}`))
    await nextTurn()
    expect(sent[3]?.keys).toEqual(upTo(4).map(n => `d${n}`))
    sent[3]!.end()
    await Promise.all(later)
  })

  it('keeps jobs of one key apart and in order', async () => {
    const { sent, send } = played()
    const both = [send({ key: 'a' }), send({ key: 'a' }), send({ key: 'b' })]
    await nextTurn()
    expect(sent.map(each => each.keys)).toEqual([['a', 'b']])
    sent[0]!.end()
    await nextTurn()
    expect(sent[1]?.keys).toEqual(['a'])
    sent[1]!.end()
    expect(await Promise.all(both)).toEqual(['done a', 'done a', 'done b'])
  })

  it('holds no more rows in a statement than it may, but for one job that alone has more', async () => {
    const { sent, send } = played()
    for (const rows of [200, 50, 100, 300]) void send({ key: `${rows}`, rows })
    await nextTurn()
    expect(sent.map(each => each.keys)).toEqual([['200', '50'], ['100'], ['300']])
  })

  it('halves a refused statement until the bad job stands alone', async () => {
    const { sent, send } = played()
    const jobs = upTo(8).map(n => send({ key: `${n}`, bad: n === 6 }))
    const settled = Promise.allSettled(jobs)
    for (let ended = 0; ended < 7; ended += 1) {
      while (sent[ended] === undefined) await nextTurn()
      sent[ended]!.end()
    }
    expect((await settled).map(each => each.status)).toEqual(upTo(8).map(n => (n === 6 ? 'rejected' : 'fulfilled')))
    await expect(jobs[5]).rejects.toMatchObject({ code: 'internal', details: { sqlstate: '23514' } })
  })

  it.each(['40P01', '40001', '57014', '08006'])('sends the whole again after %s, together and in order', async code => {
    const { sent, send } = played()
    const jobs = [send({ key: 'a' }), send({ key: 'b' })]
    await nextTurn()
    sent[0]!.end(Object.assign(new Error('passing'), { code }))
    while (sent[1] === undefined) await nextTurn()
    expect(sent[1].keys).toEqual(['a', 'b'])
    sent[1].end()
    expect(await Promise.all(jobs)).toEqual(['done a', 'done b'])
  })
})
