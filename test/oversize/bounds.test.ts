// A result is recorded whole up to `limits.recordBytes`, kept whole beside its record up to `limits.blobBytes`, and is a short form
// over that. The model is shown what is kept (D9).

import { createHash } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { canonicalJson } from '../../machines/json.ts'
import { normaliseResult } from '../../machines/result.ts'
import { calls, houseOn, reading, recordsIn, resultsIn, says, textOf, wordsIn, type House } from './house.ts'

const RECORD = 1_000
const BLOB = 5_000
const limits = { recordBytes: RECORD, blobBytes: BLOB }

const houses: House[] = []

afterEach(async () => {
  for (const house of houses.splice(0)) await house.close()
})

/** A turn whose tool returns one text: what is recorded of it, and what the model was sent. */
async function turnWith(text: string, blobs: 'store' | undefined) {
  const house = houseOn()
  houses.push(house)
  const read = reading('read', 'read-only', () => text)
  const { runtime, requests } = await house.live({
    rounds: [calls('read'), says('Done.')],
    tools: [read.tool],
    limits,
    ...(blobs === undefined ? {} : { blobs }),
  })
  const turn = await runtime.spawn({ input: 'Read it.', principal: null })
  expect((await turn.result()).state).toBe('completed')
  const [record] = recordsIn(await house.events(turn.id))
  const [shown = ''] = wordsIn(requests[1])
  return { house, runtime, turn, record, shown, request: requests[1] }
}

const KEPT: readonly (readonly [name: string, bytes: number, blobs: 'store' | undefined, kept: 'record' | 'blob' | 'nowhere'])[] = [
  ['one byte under the record size', RECORD - 1, undefined, 'record'],
  ['of the record size', RECORD, undefined, 'record'],
  ['one byte over the record size', RECORD + 1, undefined, 'nowhere'],
  ['of the record size, with blobs', RECORD, 'store', 'record'],
  ['one byte over the record size, with blobs', RECORD + 1, 'store', 'blob'],
  ['one byte under the blob size', BLOB - 1, 'store', 'blob'],
  ['of the blob size', BLOB, 'store', 'blob'],
  ['one byte over the blob size', BLOB + 1, 'store', 'nowhere'],
]

describe('a result', () => {
  test.each(KEPT)('%s', async (_, bytes, blobs, kept) => {
    const text = textOf(bytes)
    const { runtime, turn, record, shown } = await turnWith(text, blobs)
    const digest = createHash('sha256')
      .update(canonicalJson(normaliseResult(text)))
      .digest('hex')
    expect(record).toMatchObject({ bytes, digest, truncated: kept !== 'record' })
    expect(record?.blob).toBe(kept === 'blob' ? `${turn.id}/${digest}` : undefined)
    const mark = new RegExp(`^x+\n\\[truncated: \\d+ of ${bytes} bytes are left out; sha256 ${digest}\\]$`)
    if (kept === 'nowhere') expect(shown).toMatch(mark)
    else expect(shown === text).toBe(true)
    const replayed = await runtime.replay(turn.id)
    expect(replayed.code).toBe(kept === 'nowhere' ? 'replay_source_missing' : null)
  })

  test("has its tool's own record size where that is set", async () => {
    const house = houseOn()
    houses.push(house)
    const read = reading('read', 'read-only', () => textOf(RECORD), { recordBytes: RECORD - 1 })
    const { runtime } = await house.live({ rounds: [calls('read'), says('Done.')], tools: [read.tool], limits })
    const turn = await runtime.spawn({ input: 'Read it.', principal: null })
    await turn.result()
    expect(recordsIn(await house.events(turn.id))[0]).toMatchObject({ bytes: RECORD, truncated: true })
  })
})

const UNITS: readonly (readonly [name: string, unit: string])[] = [
  ['é', 'é'],
  ['an emoji', '😀'],
  ['a family of emoji', '👩‍👩‍👧'],
  ['lone high surrogates', '\ud83d'],
  ['lone low surrogates', '\ude00'],
]

describe.each(UNITS)('a text of %s', (_, unit) => {
  // Each text has one more byte before its units than the one before, so that some cut would fall into a unit.
  const texts = ['', 'a', 'ab', 'abc'].map(start => start + unit.repeat(2_000))

  test.each(texts.map((text, shift) => [shift, text] as const))('is cut between characters, %i bytes on', async (_, text) => {
    const { record, shown, request } = await turnWith(text, undefined)
    const cut = shown.slice(0, shown.lastIndexOf('\n[truncated: '))
    expect(text.startsWith(cut)).toBe(true)
    expect(cut.isWellFormed()).toBe(cut === '' || unit.isWellFormed())
    expect(Array.from(cut).every((character, index) => character === Array.from(text)[index])).toBe(true)
    const size = Buffer.byteLength(canonicalJson(resultsIn(request)[0]))
    expect(size).toBeLessThanOrEqual(RECORD)
    expect(size).toBeGreaterThan(RECORD - 16)
    expect(record?.truncated).toBe(true)
  })

  test('is given to the model whole where it is kept', async () => {
    const text = unit.repeat((2 * RECORD) / Buffer.byteLength(unit))
    const { record, shown } = await turnWith(text, 'store')
    expect(record?.blob).toBeDefined()
    expect(shown).toBe(text)
  })
})
