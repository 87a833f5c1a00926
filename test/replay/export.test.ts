// Goal: an export can be verified by whoever holds it and nothing else; no byte of it can be changed and no line left off unseen.

import fc from 'fast-check'
import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { exportLines, type ExportRequest } from '../../machines/export.ts'
import { linesOf } from '../../machines/export-lines.ts'
import { canonicalJson } from '../../machines/json.ts'
import type { Store } from '../../machines/ports/store.ts'
import { verifyExport } from '../../machines/verify-export.ts'
import { openMemory } from '../../store/memory.ts'
import { keep } from './kept.ts'
import * as say from './given.ts'
import * as ends from './given-ends.ts'

const RUN = [say.calls('find'), say.admitted(1), say.dispatched(1), say.recorded(1), say.says('Done.'), ends.completed]

let store: Store

beforeEach(() => {
  store = openMemory()
})

async function exported(asked: ExportRequest = {}): Promise<string[]> {
  return collected(exportLines(store, asked))
}

async function collected(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = []
  for await (const line of lines) all.push(line)
  return all
}

const bytesOf = (lines: readonly string[]) => new TextEncoder().encode(lines.map(line => `${line}\n`).join(''))
const verifyBytes = (bytes: Uint8Array) => verifyExport(linesOf([bytes]))
const codeOf = (verifying: Promise<unknown>) =>
  verifying.then(
    () => 'sound',
    (error: { code?: string }) => error.code,
  )

describe('an export', () => {
  test('holds each event in its stored form, between a header and an end that counts and digests them', async () => {
    const { events, turnId, state } = await keep(store, RUN)
    const [header, ...rest] = (await exported({ turnId })).map(line => JSON.parse(line) as { [key: string]: unknown })
    const end = rest.pop()
    expect(header).toEqual({ export: { of: 'toolturn', format: 1, at: expect.stringMatching(/^\d{4}-.*Z$/), asked: { turnId } } })
    expect(rest.shift()).toEqual({ turn: { turnId, tenant: 'default', version: 7, head: state.head } })
    expect(rest).toEqual(events.map(event => ({ event })))
    expect(end).toEqual({ end: { turns: 1, events: 7, digest: expect.stringMatching(/^[0-9a-f]{64}$/) } })
  })

  test('is verified without the store', async () => {
    for (let turn = 0; turn < 3; turn += 1) await keep(store, RUN)
    expect(await verifyExport(await exported())).toMatchObject({
      ok: true,
      turns: 3,
      events: 21,
      erased: 0,
      unjudged: 0,
      findings: [],
      header: { of: 'toolturn', asked: {} },
    })
  })

  test('of nothing is an export too', async () => {
    expect(await verifyExport(await exported())).toMatchObject({ ok: true, turns: 0, events: 0 })
  })

  test('of a tenant and a time holds what was opened there and then', async () => {
    await keep(store, RUN, { tenant: 'theirs' })
    const ours = await keep(store, RUN, { tenant: 'ours' })
    const now = await store.now()
    await store.advance(10_000)
    await keep(store, RUN, { tenant: 'ours' })
    const lines = await exported({ tenant: 'ours', until: now + 5_000 })
    const turns = lines.map(line => JSON.parse(line) as { turn?: { turnId: string } }).flatMap(({ turn }) => turn ?? [])
    expect(turns.map(turn => turn.turnId)).toEqual([ours.turnId])
    expect(await verifyExport(await exported({ since: now + 5_000 }))).toMatchObject({ turns: 1 })
  })

  test.each(['another turn', 'the turn of another tenant'])('of %s is not there', async what => {
    const { turnId } = await keep(store, RUN)
    const asked = what === 'another turn' ? { turnId: 'nowhere' } : { turnId, tenant: 'theirs' }
    expect(await codeOf(exported(asked))).toBe('turn_not_found')
  })

  test('of a turn longer than a page, and of more turns than a page, holds all of it', async () => {
    await keep(
      store,
      Array.from({ length: 450 }, () => ends.failedRound),
    )
    for (let turn = 0; turn < 249; turn += 1) await keep(store, [])
    expect(await verifyExport(await exported())).toMatchObject({ ok: true, turns: 250, events: 700 })
  })

  test('of erased payloads is sound and says so', async () => {
    const { turnId } = await keep(store, RUN)
    await store.erase(turnId, [2, 5])
    expect(await verifyExport(await exported())).toMatchObject({ ok: true, erased: 2, findings: [] })
  })

  test('of a harmed stream is a sound file with findings, each with its line', async () => {
    await keep(store, RUN)
    const { turnId } = await keep(store, RUN)
    await store.damage(turnId, 4)
    const lines = await exported()
    const line = 1 + lines.findIndex(text => text.includes(turnId) && text.includes('"version":5'))
    const { ok, findings } = await verifyExport(lines)
    expect(ok).toBe(false)
    expect(findings).toEqual([{ turnId, version: 5, line, problem: 'version 4 is missing' }])
  })

  test('of a stream that lost its end, or all of it, says so: the file knows where its turns end', async () => {
    const { turnId } = await keep(store, RUN)
    await store.damage(turnId, 7)
    const lost = { turnId, version: 7, line: 2, problem: 'the stream ends at version 6 and is said to end at 7' }
    expect((await verifyExport(await exported())).findings).toEqual([lost])
    for (let version = 1; version < 7; version += 1) await store.damage(turnId, version)
    expect((await verifyExport(await exported())).findings).toMatchObject([{ turnId, version: 1, line: 2 }])
  })

  test.each([
    ['\ud800', true],
    ['a \udfff b', true],
    ['\\ud800', false],
    ['\\\ud800', true],
    ['\ud83d\ude00', false],
    ['\u0000', false],
  ])('marks an event that holds a lone surrogate: %j', async (text, marked) => {
    await keep(store, [...RUN.slice(0, 3), say.recorded(1, say.resultOf(text))])
    const lines = await exported()
    expect(lines.map(line => 'escaped' in (JSON.parse(line) as object))).toEqual([false, false, false, false, false, false, marked, false])
    expect(await verifyBytes(bytesOf(lines))).toMatchObject({ ok: true })
  })
})

describe('an export that was changed', () => {
  test('in any one byte is refused', async () => {
    await keep(store, [...RUN.slice(0, 3), say.recorded(1, say.resultOf('héllo \ufffd \ud800 😀')), ...RUN.slice(4)])
    const bytes = bytesOf(await exported())
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const harmed = Uint8Array.from(bytes)
        harmed[at] = (harmed[at] ?? 0) ^ change
        expect(await codeOf(verifyBytes(harmed))).toMatch(/^(export_invalid|schema_newer)$/)
      }),
      { numRuns: 400 },
    )
  })

  test('by cutting it off anywhere is refused', async () => {
    await keep(store, RUN)
    const bytes = bytesOf(await exported())
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), async length => {
        expect(await codeOf(verifyBytes(bytes.slice(0, length)))).toBe('export_invalid')
      }),
    )
  })

  test('by leaving out, repeating or swapping lines is refused', async () => {
    await keep(store, RUN)
    const lines = await exported()
    for (const [index, line] of lines.entries()) {
      expect(await codeOf(verifyExport(lines.toSpliced(index, 1)))).toBe('export_invalid')
      expect(await codeOf(verifyExport(lines.toSpliced(index, 0, line)))).toBe('export_invalid')
      if (index > 0) expect(await codeOf(verifyExport(lines.toSpliced(index - 1, 2, line, lines[index - 1] ?? '')))).toBe('export_invalid')
    }
  })

  test('names the line of the first thing that does not hold', async () => {
    await keep(store, RUN)
    const lines = await exported()
    const changed = lines.map(line => line.replace('result of 1', 'result of 2'))
    await expect(verifyExport(changed)).rejects.toMatchObject({ code: 'export_invalid', details: { line: 7 } })
    await expect(verifyExport(lines.with(3, 'nothing of ours'))).rejects.toMatchObject({ code: 'export_invalid', details: { line: 4 } })
  })

  test('and digested anew is still found, by its chain', async () => {
    await keep(store, RUN)
    const changed = (await exported()).map(line => line.replace('result of 1', 'result of 2'))
    expect(await verifyExport(ended(changed.slice(0, -1)))).toMatchObject({ ok: false, findings: [{ version: 5, line: 7 }] })
  })

  test('to have no header, or two, is refused however well it is digested', async () => {
    await keep(store, RUN)
    const [header = '', ...events] = (await exported()).slice(0, -1)
    expect(await codeOf(verifyExport(ended([header, ...events])))).toBe('sound')
    expect(await codeOf(verifyExport(ended(events)))).toBe('export_invalid')
    expect(await codeOf(verifyExport(ended([header, header, ...events])))).toBe('export_invalid')
  })

  test('in how its lines are written is refused: one text for each line', async () => {
    await keep(store, RUN)
    const lines = await exported()
    expect(await codeOf(verifyExport(lines.with(-1, ` ${lines.at(-1)}`)))).toBe('export_invalid')
    expect(await codeOf(verifyBytes(bytesOf(lines.with(0, `\ufeff${lines[0]}`))))).toBe('export_invalid')
  })

  /** The lines with an end that fits them. */
  function ended(body: readonly string[]): string[] {
    const digest = createHash('sha256')
      .update(body.map(line => `${line}\n`).join(''))
      .digest('hex')
    return [...body, canonicalJson({ end: { turns: 1, events: 7, digest } })]
  }

  test('of a newer format is not guessed at', async () => {
    const [header = '', ...rest] = await exported()
    expect(await codeOf(verifyExport([header.replace('"format":1', '"format":2'), ...rest]))).toBe('schema_newer')
  })

  test.each(['', 'hello', '{}', '[]', '{"event":{}}', '\ufeff{}'])('into %j is none', async text => {
    expect(await codeOf(verifyExport([text]))).toBe('export_invalid')
  })
})

describe('the lines of a file', () => {
  test('are the same however its bytes come', async () => {
    const texts = fc.array(fc.string({ unit: 'binary' }).map(text => text.replaceAll('\n', '')))
    await fc.assert(
      fc.asyncProperty(texts, fc.array(fc.nat(20)), async (lines, cuts) => {
        const bytes = bytesOf(lines)
        const chunks: Uint8Array[] = []
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const size = cuts[turn % Math.max(1, cuts.length)] ?? 7
          chunks.push(bytes.slice(at, at + size + 1))
          at += size + 1
        }
        expect(await collected(linesOf(chunks))).toEqual(lines)
      }),
    )
  })

  test.each([
    ['bytes that are no UTF-8', [0x61, 0xff, 0x0a]],
    ['a character that is cut off', [0x61, 0xc3]],
    ['a last line without its line feed', [0x61]],
  ])('%s are refused', async (_what, bytes) => {
    expect(await codeOf(collected(linesOf([Uint8Array.from(bytes)])))).toBe('export_invalid')
  })
})
