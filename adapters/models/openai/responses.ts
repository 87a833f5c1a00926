// The Responses API of OpenAI as a model.

import type { Model } from '../../../machines/ports/model.ts'
import { readKnown, readText } from '../../../machines/runtime/door.ts'
import { askServer } from './asking.ts'
import type { Origin } from './own.ts'
import { namesOfItems, readProviderTools } from './provider-tools.ts'
import { responsesBody, RESPONSES_FIELDS, type ResponsesSettings } from './responses-request.ts'
import { responsesRound } from './responses-round.ts'
import { assembleResponse } from './responses-stream.ts'
import { openServer, readFlag, SERVER_OPTIONS, type ServerOptions } from './server.ts'
import { functionNames } from './tools.ts'

export type OpenAIOptions = ServerOptions & {
  /** Tools that OpenAI runs itself, by the names under which turns list them, e.g. `{ web_search: { type: 'web_search' } }` (F1). */
  readonly providerTools?: { readonly [name: string]: object }
  /** Whether reasoning comes back encrypted, to be sent again in the next round. Default: true but for models that do not reason. */
  readonly encryptedReasoning?: boolean
}

/** The families that refuse to be asked for reasoning. */
const WITHOUT_REASONING = /^(ft:)?(gpt-3|gpt-4|chatgpt-|gpt-5(\.\d+)?-chat)/

/**
 * A model of OpenAI, over the Responses API: `createRuntime({ model: openai('gpt-5') })`. Nothing is stored at OpenAI.
 *
 * @throws ToolturnError `option_invalid`, also where there is no key
 */
export function openai(model: string, options: OpenAIOptions = {}): Model {
  const known = readKnown('options', options, [...SERVER_OPTIONS, 'providerTools', 'encryptedReasoning'])
  const name = readText('model', model)
  const server = openServer(known, true, RESPONSES_FIELDS)
  const { client, who } = server
  const origin: Origin = { api: 'openai-responses', host: server.host }
  const providerTools = readProviderTools(known.providerTools)
  const settings: ResponsesSettings = {
    model: name,
    origin,
    providerTools,
    encryptedReasoning: readFlag('encryptedReasoning', known.encryptedReasoning ?? !WITHOUT_REASONING.test(name)),
    maxOutputTokens: server.maxOutputTokens,
    body: server.body,
  }
  return {
    name: `openai/${name}`,
    capabilities: { toolCalls: 'native', enforcedOutput: readFlag('enforcedOutput', known.enforcedOutput ?? true) },
    ask: async (request, context) => {
      const names = functionNames(request.tools)
      const body = responsesBody(settings, request, names)
      const reading = { who, origin, names, uses: namesOfItems(providerTools, request.providerTools) }
      return askServer(server, context, {
        request: (stream, given) => client.responses.create({ ...body, stream }, given),
        assemble: (events, onDelta) => assembleResponse(events, onDelta, who),
        roundOf: response => responsesRound(response, reading),
      })
    },
  }
}
