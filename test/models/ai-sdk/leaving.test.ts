// Goal: an ask ends when it should, whatever its package does: it is not waited for, and what is left of its stream is let go.

import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { afterEach, expect, test, vi } from 'vitest'
import { aiSdk } from '../../../adapters/models/ai-sdk.ts'
import { askContext, failureOf, REQUEST } from '../asking.ts'
import { fakeModel, finish } from './fake.ts'

afterEach(() => void vi.useRealTimers())

/** A model whose stream gives the parts one by one, and then nothing. */
function slowly(parts: readonly LanguageModelV4StreamPart[], before: () => void, left: () => void = () => {}): LanguageModelV4 {
  const next = parts.values()
  const source: UnderlyingDefaultSource<LanguageModelV4StreamPart> = {
    pull: controller => {
      const { done = false, value } = next.next()
      if (done || value === undefined) return new Promise(() => {})
      before()
      controller.enqueue(value)
      if (value.type === 'finish') controller.close()
    },
    cancel: left,
  }
  // Each part is made when it is read, and not before.
  const stream = new ReadableStream(source, { highWaterMark: 0 })
  return { ...fakeModel([]), doStream: async () => ({ stream }) }
}

test('a stream is given up for its silence, not for its length', async () => {
  vi.useFakeTimers()
  const parts: readonly LanguageModelV4StreamPart[] = [{ type: 'ping' }, { type: 'ping' }, { type: 'ping' }, finish('stop')]
  const model = aiSdk(
    slowly(parts, () => void vi.advanceTimersByTime(40)),
    { stallMs: 60 },
  )
  expect(await model.ask(REQUEST, askContext())).toMatchObject({ completion: 'clean' })
})

test('a stream that is no answer is let go', async () => {
  const left = vi.fn<() => void>()
  const parts: readonly LanguageModelV4StreamPart[] = [{ type: 'text-delta', id: '0', delta: 'x' }, { type: 'ping' }]
  expect(await failureOf(aiSdk(slowly(parts, () => {}, left)).ask(REQUEST, askContext()))).toMatchObject({
    code: 'model_protocol_violation',
  })
  expect(left).toHaveBeenCalledOnce()
})

test.each([true, false])('a package that does not heed its signal is not waited for, streamed: %s', async stream => {
  const never = (): Promise<never> => new Promise(() => {})
  const abort = new AbortController()
  const model = aiSdk({ ...fakeModel([]), doStream: never, doGenerate: never }, { stream })
  const asking = model.ask(REQUEST, askContext({ signal: abort.signal }))
  abort.abort()
  await expect(asking).rejects.toMatchObject({ code: 'runtime_closed' })
})

test('a stream that says nothing more is left when the ask is aborted, and tells nothing more', async () => {
  const left = vi.fn<() => void>()
  const abort = new AbortController()
  const onDelta = vi.fn<() => void>(() => abort.abort())
  const parts: readonly LanguageModelV4StreamPart[] = [
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'I' },
    { type: 'text-delta', id: '0', delta: ' look' },
  ]
  const asking = aiSdk(slowly(parts, () => {}, left)).ask(REQUEST, askContext({ signal: abort.signal, onDelta }))
  await expect(asking).rejects.toMatchObject({ code: 'runtime_closed' })
  expect(onDelta).toHaveBeenCalledOnce()
  expect(left).toHaveBeenCalledOnce()
})

test.each<readonly [string, () => Iterable<LanguageModelV4StreamPart>]>([
  ['pieces', () => [{ type: 'text-start', id: '0' }, ...pieces(40)]],
  ['parts', () => Array.from({ length: 10_001 }, (_, id): LanguageModelV4StreamPart => ({ type: 'text-start', id: String(id) }))],
])('a stream of too many %s is let go', async (_, parts) => {
  expect(await failureOf(aiSdk(slowly([...parts()], () => {})).ask(REQUEST, askContext()))).toMatchObject({
    code: 'model_protocol_violation',
  })
})

/** Each of a million characters. */
function pieces(length: number): readonly LanguageModelV4StreamPart[] {
  const delta = 'x'.repeat(1_000_000)
  return Array.from({ length }, () => ({ type: 'text-delta', id: '0', delta }))
}
