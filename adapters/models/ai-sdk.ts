// `toolturn/ai-sdk`: the adapter of every provider whose package implements the AI SDK's language-model interface. It maps and decides
// nothing: the SDK's retries and its tool loop are a level above this interface, so there is nothing of them to turn off.

import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { ToolturnError } from '../../machines/errors.ts'
import type { AskContext, Model, ModelRequest, ModelRound } from '../../machines/ports/model.ts'
import { failureOf, filteredRound } from './ai-sdk/failures.ts'
import { readLanguageModel, readOptions, type AiSdkOptions, type Settings } from './ai-sdk/options.ts'
import type { Terms } from './ai-sdk/parts.ts'
import { callOptions, namesOf } from './ai-sdk/prompt.ts'
import { refuseRounded } from './ai-sdk/rounded.ts'
import { roundOf, type Answer } from './ai-sdk/round.ts'
import { signsOf } from './ai-sdk/signs.ts'
import { assembly, type Assembly } from './ai-sdk/stream.ts'
import { timedOut } from './failure.ts'
import { send } from './send.ts'
import { stallGuard, type StallGuard } from './stall.ts'

export { fromAiSdk } from '../tools/ai-sdk.ts'
export type { AiSdkOptions } from './ai-sdk/options.ts'

/**
 * A model of any provider package of the AI SDK: `createRuntime({ model: aiSdk(openai('gpt-5')), tools })`.
 *
 * @param languageModel of the newest version of the interface
 * @throws ToolturnError `option_invalid`
 */
export function aiSdk(languageModel: LanguageModelV4, options: AiSdkOptions = {}): Model {
  const settings = readOptions(options, readLanguageModel(languageModel))
  const { name, toolCalls, enforcedOutput } = settings
  return {
    name,
    capabilities: { toolCalls, enforcedOutput },
    ask: (request, context) => send(context, () => ask(languageModel, settings, request, context)),
  }
}

/** Milliseconds that an answer in one piece may take: nothing is heard of it before it is whole. */
const WHOLE_MS = 600_000

async function ask(model: LanguageModelV4, settings: Settings, request: ModelRequest, context: AskContext): Promise<ModelRound> {
  const { name: who, stream, stallMs } = settings
  const terms: Terms = { who, own: `ai-sdk/${model.provider.split('.')[0]}`, names: namesOf(request) }
  const guard = stallGuard(context.signal, stream ? stallMs : WHOLE_MS)
  try {
    const call = { ...callOptions(request, settings, terms), abortSignal: guard.signal }
    const answer = stream ? await streamed(model, call, guard, assembly(who, context.onDelta)) : await whole(model, call, guard, who)
    return roundOf(answer, terms)
  } catch (thrown) {
    if (context.signal.aborted)
      throw new ToolturnError('runtime_closed', 'The ask was aborted before it was answered.', { turnId: context.turnId })
    if (guard.stalled()) throw timedOut(who)
    const filtered = filteredRound(thrown)
    if (filtered === null) throw failureOf(who, thrown)
    return filtered
  } finally {
    guard.end()
  }
}

async function whole(model: LanguageModelV4, call: LanguageModelV4CallOptions, guard: StallGuard, who: string): Promise<Answer> {
  const { content, finishReason, usage, response } = await heeding(guard.signal, model.doGenerate(call))
  for (const part of content) if (part.type === 'tool-call') refuseRounded(who, part, response?.body)
  return { content, finishReason, usage, signs: signsOf(response?.body) }
}

/** The provider's own words come along: they say what the interface leaves out. */
async function streamed(
  model: LanguageModelV4,
  call: LanguageModelV4CallOptions,
  guard: StallGuard,
  { take, answer }: Assembly,
): Promise<Answer> {
  const { stream } = await heeding(guard.signal, model.doStream({ ...call, includeRawChunks: true }))
  await readAll(stream.getReader(), guard, take)
  return answer()
}

async function readAll(
  reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>,
  guard: StallGuard,
  take: Assembly['take'],
): Promise<void> {
  let over = false
  try {
    while (!over) {
      const { done, value } = await heeding(guard.signal, reader.read())
      guard.heard()
      over = done
      if (value !== undefined) take(value)
    }
  } finally {
    // What is left of a stream that is given up, and how it ends, is of no more interest.
    if (!over) reader.cancel().catch(() => undefined)
  }
}

/** What the package promises, or a rejection as soon as the signal is aborted: a package need not heed it. */
async function heeding<Value>(signal: AbortSignal, promised: PromiseLike<Value>): Promise<Value> {
  const settled = new AbortController()
  const abort = new Promise<never>((_, reject) => {
    const leave = (): void => reject(new Error('the ask is given up'))
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true, signal: settled.signal })
  })
  try {
    return await Promise.race([abort, promised])
  } finally {
    settled.abort()
  }
}
