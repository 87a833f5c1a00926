// A model of the interface that says what it is told to say, part by part.

import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'

const USAGE: LanguageModelV4Usage = {
  inputTokens: { total: 7, noCache: 3, cacheRead: 4, cacheWrite: undefined },
  outputTokens: { total: 9, text: 9, reasoning: undefined },
}

export function finish(
  unified: LanguageModelV4FinishReason['unified'],
  raw?: string,
): Extract<LanguageModelV4StreamPart, { type: 'finish' }> {
  return { type: 'finish', finishReason: { unified, raw }, usage: USAGE }
}

/**
 * Streams the given parts, one list for each request.
 *
 * @param seen called with what is asked
 */
export function fakeModel(
  streams: readonly (readonly LanguageModelV4StreamPart[])[],
  seen: (options: LanguageModelV4CallOptions) => void = () => {},
): LanguageModelV4 {
  const left = [...streams]
  return {
    ...ABOUT,
    doStream: async options => {
      seen(options)
      return { stream: streamOf(left.shift() ?? []) }
    },
    doGenerate: () => Promise.reject(new Error('only streams')),
  }
}

function streamOf(parts: readonly LanguageModelV4StreamPart[]): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    start: controller => {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}

/** Gives one whole answer. */
export function wholeModel(
  content: readonly LanguageModelV4Content[],
  finishReason: LanguageModelV4FinishReason,
  body?: unknown,
): LanguageModelV4 {
  return {
    ...ABOUT,
    doStream: () => Promise.reject(new Error('only whole answers')),
    doGenerate: async () => ({ content: [...content], finishReason, usage: USAGE, warnings: [], response: { body } }),
  }
}

/** Fails with what is given. */
export function failingModel(thrown: unknown): LanguageModelV4 {
  const fail = (): never => {
    throw thrown
  }
  return { ...ABOUT, doStream: fail, doGenerate: fail }
}

const ABOUT = { specificationVersion: 'v4', provider: 'nobody.chat', modelId: 'm', supportedUrls: {} } as const
