// Goal: an item of a response that does not say that it is completed is not run, whatever the response says of itself.

import { createOpenAI } from '@ai-sdk/openai'
import { describe, expect, it } from 'vitest'
import { aiSdk } from '../../adapters/models/ai-sdk.ts'
import { openai } from '../../adapters/models/openai.ts'
import type { Json } from '../../machines/json.ts'
import { isModelFailure, type Model } from '../../machines/ports/model.ts'
import { askContext, REQUEST } from './asking.ts'
import { events, eventsOf, functionCall, response, whole } from './openai/responses-driver.ts'
import { openWire } from './wire.ts'

const ADAPTERS: readonly { readonly name: string; readonly make: (baseURL: string, stream: boolean) => Model }[] = [
  { name: 'openai', make: (baseURL, stream) => openai('m', { apiKey: 'k', baseURL, stream }) },
  { name: 'aiSdk', make: (baseURL, stream) => aiSdk(createOpenAI({ apiKey: 'k', baseURL }).responses('m'), { stream }) },
]
const modes = [{ stream: true }, { stream: false }]

/** How a round with one call ended, or the code of its failure. */
async function endOf(make: (typeof ADAPTERS)[number]['make'], stream: boolean, status: Json): Promise<string> {
  await using wire = await openWire()
  const said = response([functionCall('a', 'refund', '{"id":"1"}', { status })])
  wire.answer(stream ? events(eventsOf(said)) : whole(said))
  try {
    return (await make(wire.url, stream).ask(REQUEST, askContext())).completion
  } catch (thrown) {
    return isModelFailure(thrown) ? thrown.code : 'no failure of a model'
  }
}

describe.each(ADAPTERS)('$name', ({ make }) => {
  it.each(modes)('runs a call that is completed (stream: $stream)', async ({ stream }) => {
    expect(await endOf(make, stream, 'completed')).toBe('clean')
  })

  describe.each(modes)('stream: $stream', ({ stream }) => {
    it.each<Json>(['failed', 'in_progress', 'incomplete', 'zzz', '', 5, false])('runs no call with the status %j', async status => {
      expect(await endOf(make, stream, status)).not.toBe('clean')
    })
  })
})
