// One try at one answer, whole or as a stream, over the client of OpenAI: sent at the one gate, guarded against silence, and given up
// with the signal of the ask.

import { Stream } from 'openai/core/streaming'
import { ToolturnError } from '../../../machines/errors.ts'
import { parseJson } from '../../../machines/json-text.ts'
import type { Json } from '../../../machines/json.ts'
import type { AskContext, ModelRound } from '../../../machines/ports/model.ts'
import { watched } from '../body.ts'
import { cutOff } from '../failure.ts'
import { STAY } from '../reach.ts'
import { send } from '../send.ts'
import { stallGuard, type StallGuard } from '../stall.ts'
import { failureOf, filteredRound } from './failures.ts'
import type { Server } from './server.ts'

/** What one API adds: how it is asked, how its stream becomes the response that it tells of, and what a response means. */
export type Api = {
  readonly request: (stream: boolean, options: RequestOptions) => { readonly asResponse: () => Promise<Response> }
  readonly assemble: (events: AsyncIterable<unknown>, onDelta: AskContext['onDelta']) => Promise<unknown>
  readonly roundOf: (response: unknown) => ModelRound
}

type RequestOptions = { readonly signal: AbortSignal; readonly maxRetries: 0; readonly timeout: number; readonly fetchOptions: typeof STAY }

/** Milliseconds that an answer in one piece may take: nothing is heard of it before it is whole. */
const WHOLE_MS = 600_000

/** @throws ModelFailure; ToolturnError where nothing may be sent (F2) or the ask was aborted */
export function askServer(server: Server, context: AskContext, api: Api): Promise<ModelRound> {
  return send(context, async () => {
    const guard = stallGuard(context.signal, server.stream ? server.stallMs : WHOLE_MS)
    try {
      const response = await responseOf(server, context, api, guard)
      context.signal.throwIfAborted()
      return api.roundOf(response)
    } catch (thrown) {
      if (context.signal.aborted)
        throw new ToolturnError('runtime_closed', 'The ask was aborted before it was answered.', { turnId: context.turnId })
      const filtered = filteredRound(thrown)
      if (filtered !== null) return filtered
      throw failureOf(thrown, server.who, guard.stalled())
    } finally {
      guard.end()
    }
  })
}

async function responseOf(server: Server, { signal, onDelta }: AskContext, api: Api, guard: StallGuard): Promise<unknown> {
  const { client, who, stream } = server
  const request = api.request(stream, { signal: guard.signal, maxRetries: 0, timeout: WHOLE_MS, fetchOptions: STAY })
  const response = watched(await request.asResponse(), who, guard.heard)
  if (!stream) return readWhole(await response.text(), who)
  const events = Stream.fromSSEResponse<unknown>(response, new AbortController(), client)
  return api.assemble(events, delta => {
    signal.throwIfAborted()
    onDelta(delta)
  })
}

/** A page of a gateway in between is no answer, and may be gone the next time. */
function readWhole(text: string, who: string): Json {
  try {
    return parseJson(text)
  } catch {
    throw cutOff(who)
  }
}
