// What every model adapter has to hold, run against the provider's own client and a local wire: one suite, a driver for each provider.

import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { isModelFailure, type Model } from '../../machines/ports/model.ts'
import { askContext, failureOf, REQUEST, type Delta } from './asking.ts'
import { SAYINGS, survives, type Driver, type Said } from './driver.ts'
import { openWire, type Answer, type Wire } from './wire.ts'

const KEY = 'key-of-nobody-1f6e'
const SECRET_TEXT = 'words of the provider'
const LONG_MS = 60_000

const CALLS: Said = SAYINGS['two calls beside text'] ?? { stop: 'calls' }

/** @example `describe('Anthropic', () => adapterSuite(driver))` */
export function adapterSuite(driver: Driver): void {
  const modelOn = (wire: Wire, stream: boolean, stallMs = LONG_MS): Model =>
    driver.model({ baseURL: wire.url, apiKey: KEY, stream, stallMs })
  const modes = [
    { mode: 'streamed', stream: true, says: driver.streamed },
    { mode: 'whole', stream: false, says: driver.whole },
  ]

  describe.each(Object.entries(SAYINGS))('%s', (_, said) => {
    // NOT TESTED where the client is known to lose what the text says; the adapter's own tests say what it makes of that.
    it.skipIf(driver.rewrites === true && !survives(said))('is the same round streamed and whole', async () => {
      await using wire = await openWire()
      wire.answer(driver.whole(said), driver.streamed(said))
      const whole = await modelOn(wire, false).ask(REQUEST, askContext())
      const streamed = await modelOn(wire, true).ask(REQUEST, askContext())
      expect(streamed).toEqual(whole)
      expect(callsOf(whole)).toEqual(said.calls ?? [])
      expect(whole.completion).toBe(COMPLETIONS[said.stop])
    })

    it('never gives a round when its stream is cut, wherever that is', async () => {
      await using wire = await openWire()
      const answer = driver.streamed(said)
      for (const cut of cuts(answer)) {
        wire.answer(cut)
        const failure = await failureOf(modelOn(wire, true).ask(REQUEST, askContext()))
        expect(failure, inspect(cut.broken)).toMatchObject({ code: 'model_unavailable', final: false })
      }
      expect(wire.asked).toHaveLength(cuts(answer).length)
    })

    it('is read the same wherever its bytes are parted', async () => {
      await using wire = await openWire()
      const bytes = Buffer.from(piecesOf(driver.streamed(said)).map(String).join(''))
      const { headers = {} } = driver.streamed(said)
      wire.answer({ headers, body: bytes }, { headers, body: [...partedEvery(bytes, 7)] })
      const atOnce = await modelOn(wire, true).ask(REQUEST, askContext())
      expect(await modelOn(wire, true).ask(REQUEST, askContext())).toEqual(atOnce)
    })
  })

  it('tells its text while it comes, piece by piece', async () => {
    await using wire = await openWire()
    wire.answer(driver.streamed(CALLS))
    const deltas: Delta[] = []
    await modelOn(wire, true).ask(REQUEST, askContext({ onDelta: delta => void deltas.push(delta) }))
    expect(textOf(deltas, 'text')).toBe(CALLS.text)
    expect(textOf(deltas, 'call')).toBe(CALLS.calls?.map(call => call.arguments).join(''))
  })

  describe.each(modes)('$mode', ({ stream, says }) => {
    it('leaves when it is aborted, and tells nothing more', async () => {
      await using wire = await openWire()
      wire.answer({ ...says(CALLS), broken: { after: stream ? 2 : 0, by: 'silence' } })
      const abort = new AbortController()
      const asking = modelOn(wire, stream).ask(REQUEST, askContext({ signal: abort.signal }))
      asking.catch(() => undefined)
      const { left } = await wire.arrival(0)
      abort.abort(new Error('cancelled'))
      await expect(asking).rejects.toThrow()
      await left
    })

    it('sends nothing once it is aborted', async () => {
      await using wire = await openWire()
      await expect(modelOn(wire, stream).ask(REQUEST, askContext({ signal: AbortSignal.abort() }))).rejects.toThrow()
      expect(wire.asked).toEqual([])
    })

    it('sends nothing in a replay', async () => {
      await using wire = await openWire()
      const asking = modelOn(wire, stream).ask(REQUEST, askContext({ purpose: 'replay' }))
      await expect(asking).rejects.toMatchObject({ code: 'replay_send_suppressed' })
      expect(wire.asked).toEqual([])
    })

    it.each(REFUSALS)('says of $answer.status $what, and asks once', async ({ answer, failure }) => {
      await using wire = await openWire()
      wire.answer({ ...answer, body: driver.errorBody(`${SECRET_TEXT} ${KEY}`) })
      const thrown = await failureOf(modelOn(wire, stream).ask(REQUEST, askContext()))
      expect(thrown).toMatchObject({ kind: 'http', status: answer.status, ...failure })
      expect(wire.asked).toHaveLength(1)
    })

    it('reads a Retry-After that is a date', async () => {
      await using wire = await openWire()
      const date = new Date(Date.now() + 3_600_000).toUTCString()
      wire.answer({ status: 503, headers: { 'retry-after': date }, body: driver.errorBody('later') })
      const { retryAfterMs = 0 } = await failureOf(modelOn(wire, stream).ask(REQUEST, askContext()))
      expect(retryAfterMs).toBeGreaterThan(0)
      expect(retryAfterMs).toBeLessThanOrEqual(3_600_000)
    })

    it('says that a request is too long for the model, and that asking again is no use', async () => {
      await using wire = await openWire()
      wire.answer(...driver.tooLong)
      for (const _ of driver.tooLong) {
        const failure = await failureOf(modelOn(wire, stream).ask(REQUEST, askContext()))
        expect(failure).toMatchObject({ code: 'model_context_exceeded', final: true })
      }
    })

    it('holds neither the key nor words of the provider in a failure', async () => {
      await using wire = await openWire()
      const echo = driver.errorBody(`${SECRET_TEXT} ${KEY}`)
      wire.answer({ status: 400, body: echo }, { status: 529, body: echo }, { body: `${SECRET_TEXT} ${KEY}` })
      for (let nth = 0; nth < 3; nth += 1) {
        const failure = await failureOf(modelOn(wire, stream).ask(REQUEST, askContext()))
        expect(inspect(failure, { depth: null, showHidden: true })).not.toMatch(new RegExp(`${SECRET_TEXT}|${KEY}`))
      }
    })

    it('says when the connection ends before anything came', async () => {
      await using wire = await openWire()
      wire.answer({ body: '', broken: { after: 'nothing', by: 'reset' } })
      const failure = await failureOf(modelOn(wire, stream).ask(REQUEST, askContext()))
      expect(failure).toMatchObject({ kind: 'reset', code: 'model_unavailable', final: false })
    })

    it('says when nobody is there', async () => {
      const gone = await openWire()
      await gone[Symbol.asyncDispose]()
      const failure = await failureOf(modelOn(gone, stream).ask(REQUEST, askContext()))
      expect(failure).toMatchObject({ kind: 'reset', code: 'model_unavailable', final: false })
    })

    it.each(['<html>busy</html>', '[]', 'null', '{}', '{"type":"message"'])('takes %s for no round', async body => {
      await using wire = await openWire()
      wire.answer({ headers: { ...says(CALLS).headers }, body })
      const thrown = await failureOf(modelOn(wire, stream).ask(REQUEST, askContext()))
      expect(isModelFailure(thrown)).toBe(true)
    })

    it('sends the key where the provider wants it, and nowhere in the body', async () => {
      await using wire = await openWire()
      wire.answer(says({ stop: 'end', text: 'ok' }))
      await modelOn(wire, stream).ask(REQUEST, askContext())
      expect(JSON.stringify(wire.asked[0]?.headers)).toContain(KEY)
      expect(wire.asked[0]?.body).not.toContain(KEY)
    })

    it('gives tools names that the provider takes, and finds its way back', async () => {
      await using wire = await openWire()
      const name = 'shop.orders/find'
      const tools = [{ name, description: 'Finds an order.', inputSchema: { type: 'object' } }]
      wire.answer(says({ stop: 'end', text: 'ok' }))
      await modelOn(wire, stream).ask({ ...REQUEST, tools }, askContext())
      const [sent = ''] = driver.toolNames(JSON.parse(wire.asked[0]?.body ?? ''))
      expect(sent).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
      wire.answer(says({ stop: 'calls', calls: [{ id: 'c1', name: sent, arguments: '{}' }] }))
      const round = await modelOn(wire, stream).ask({ ...REQUEST, tools }, askContext())
      expect(callsOf(round)).toEqual([{ id: 'c1', name, arguments: '{}' }])
    })
  })

  it('gives up a stream that says nothing for too long, and leaves', async () => {
    await using wire = await openWire()
    wire.answer({ ...driver.streamed(CALLS), broken: { after: 2, by: 'silence' } })
    const failure = await failureOf(modelOn(wire, true, 50).ask(REQUEST, askContext()))
    expect(failure).toMatchObject({ kind: 'timeout', code: 'model_unavailable', final: false })
    await wire.asked[0]?.left
  })
}

const COMPLETIONS = { end: 'clean', calls: 'clean', length: 'truncated', refusal: 'refused', unknown: 'truncated' } as const

const REFUSALS = [
  { what: 'when to come again', answer: { status: 429, headers: { 'retry-after': '7' } }, failure: { final: false, retryAfterMs: 7_000 } },
  { what: 'when to come again', answer: { status: 529, headers: { 'retry-after-ms': '30' } }, failure: { final: false, retryAfterMs: 30 } },
  { what: 'that it may pass', answer: { status: 500 }, failure: { code: 'model_unavailable', final: false } },
  { what: 'that it may pass', answer: { status: 408 }, failure: { code: 'model_unavailable', final: false } },
  { what: 'that it is final', answer: { status: 400 }, failure: { code: 'model_request_rejected', final: true } },
  { what: 'that it is final', answer: { status: 401 }, failure: { code: 'model_request_rejected', final: true } },
  { what: 'that it is final', answer: { status: 404 }, failure: { code: 'model_request_rejected', final: true } },
  { what: 'that it is too large', answer: { status: 413 }, failure: { code: 'model_context_exceeded', final: true } },
] as const

function callsOf({ items }: Awaited<ReturnType<Model['ask']>>): readonly object[] {
  return items.flatMap(item => (item.kind === 'call' ? [{ id: item.id, name: item.name, arguments: item.arguments ?? '' }] : []))
}

function textOf(deltas: readonly Delta[], kind: Delta['kind']): string {
  return deltas.map(delta => (delta.kind === kind ? delta.text : '')).join('')
}

function piecesOf({ body }: Answer): readonly (string | Uint8Array)[] {
  return typeof body === 'string' || body instanceof Uint8Array ? [body] : body
}

/** The stream cut before each of its pieces and in the middle of each, by a reset and by an end that looks whole. */
function cuts(answer: Answer): readonly Answer[] {
  const pieces = piecesOf(answer).map(String)
  return pieces.flatMap((piece, after): readonly Answer[] => {
    const half = piece.slice(0, piece.length / 2)
    const before = { ...answer, broken: { after, by: 'end' as const } }
    const reset = { ...answer, broken: { after, by: 'reset' as const } }
    const inside = { ...answer, body: [...pieces.slice(0, after), half] }
    return [before, reset, inside]
  })
}

function* partedEvery(bytes: Uint8Array, count: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += count) yield bytes.subarray(at, at + count)
}
