// Chat Completions as a model: OpenAI's own, and every server that speaks like it.

import type { Model } from '../../../machines/ports/model.ts'
import { readKnown, readText, refuse } from '../../../machines/runtime/door.ts'
import { askServer } from './asking.ts'
import { chatBody, CHAT_FIELDS, type ChatSettings } from './chat-request.ts'
import { chatRound } from './chat-round.ts'
import { assembleCompletion } from './chat-stream.ts'
import type { Origin } from './own.ts'
import { openServer, readFlag, SERVER_OPTIONS, type ServerOptions } from './server.ts'
import { functionNames } from './tools.ts'

export type OpenAIChatOptions = ServerOptions & {
  /** `none` for a model that cannot call tools: turns that offer some end before anything is sent (E4). Default native. */
  readonly toolCalls?: 'native' | 'none'
  /** The field that bounds the answer. Default: `max_completion_tokens` at OpenAI, `max_tokens` elsewhere. */
  readonly budgetField?: 'max_completion_tokens' | 'max_tokens'
  /** Whether reasoning that the server gave goes back to it. Default true. */
  readonly resendReasoning?: boolean
}

/** Tokens are counted in a stream only where it is asked for. */
const STREAMED = { stream: true, stream_options: { include_usage: true } } as const

/**
 * A model over Chat Completions: `openaiChat('gpt-5')`, or with `baseURL` one of another server, such as vLLM, Ollama or OpenRouter.
 * `enforcedOutput` is true at OpenAI by default and false elsewhere, where many servers do not heed a schema.
 *
 * @throws ToolturnError `option_invalid`, also where OpenAI itself is asked and there is no key
 */
export function openaiChat(model: string, options: OpenAIChatOptions = {}): Model {
  const known = readKnown('options', options, [...SERVER_OPTIONS, 'toolCalls', 'budgetField', 'resendReasoning'])
  const { toolCalls = 'native' } = known
  if (toolCalls !== 'native' && toolCalls !== 'none') refuse('toolCalls', 'native, none')
  const name = readText('model', model)
  const server = openServer(known, false, CHAT_FIELDS)
  const { client, who } = server
  const origin: Origin = { api: 'openai-chat', host: server.host }
  const settings: ChatSettings = {
    model: name,
    origin,
    isOpenAI: server.isOpenAI,
    resendReasoning: readFlag('resendReasoning', known.resendReasoning ?? true),
    budgetField: readBudgetField(known.budgetField ?? (server.isOpenAI ? 'max_completion_tokens' : 'max_tokens')),
    maxOutputTokens: server.maxOutputTokens,
    body: server.body,
  }
  return {
    name: `openai-chat/${name}`,
    capabilities: { toolCalls, enforcedOutput: readFlag('enforcedOutput', known.enforcedOutput ?? server.isOpenAI) },
    ask: async (request, context) => {
      const names = functionNames(request.tools)
      const body = chatBody(settings, request, names)
      return askServer(server, context, {
        request: (stream, given) => client.chat.completions.create({ ...body, ...(stream ? STREAMED : { stream }) }, given),
        assemble: (chunks, onDelta) => assembleCompletion(chunks, onDelta, who),
        roundOf: completion => chatRound(completion, { who, origin, names }),
      })
    },
  }
}

function readBudgetField(given: NonNullable<OpenAIChatOptions['budgetField']>): 'max_completion_tokens' | 'max_tokens' {
  const isKnown = given === 'max_completion_tokens' || given === 'max_tokens'
  return isKnown ? given : refuse('budgetField', 'max_completion_tokens, max_tokens')
}
