// What a host says of its Anthropic model, checked at the door, and the SDK's client that it is reached through.

import Anthropic from '@anthropic-ai/sdk'
import type { ThinkingConfigParam } from '@anthropic-ai/sdk/resources/messages'
import { ToolturnError } from '../../../machines/errors.ts'
import { isJsonObject, type JsonObject } from '../../../machines/json.ts'
import { readFunction, readJsonValue, readKnown, refuse } from '../../../machines/runtime/door.ts'
import { environment, readKey, readUrl } from '../reach.ts'
import { namesServers } from '../servers.ts'

/** What is used of the SDK's client; clients for other platforms have it too. */
export type AnthropicClient = { readonly messages: Pick<Anthropic['messages'], 'create'>; readonly timeout?: number }

export type AnthropicOptions = {
  /** A client of the SDK that is ready to be used; its own retries are not. Default: one that is made from the next two. */
  readonly client?: AnthropicClient
  /** Default: what the environment variable ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN holds. */
  readonly apiKey?: string
  /** Default: ANTHROPIC_BASE_URL, else the SDK's own. */
  readonly baseURL?: string
  /** `max_tokens` of a first try; it doubles after each truncated round. Default 8192. */
  readonly maxOutputTokens?: number
  /** Default true: deltas reach listeners, and a connection that says nothing is seen. */
  readonly stream?: boolean
  /** Milliseconds of silence of a stream that are borne. Default 60,000. */
  readonly stallMs?: number
  /** The API's own `thinking`, sent as it is. */
  readonly thinking?: ThinkingConfigParam
  /** Tools that Anthropic runs itself, each under the name that the turn lists it by: the API's own definition. Default none (F1). */
  readonly providerTools?: { readonly [name: string]: object }
  /** Default true: an output schema is held by the API; false for models that cannot, which are asked in words (A2). */
  readonly enforcedOutput?: boolean
  /** Default true: tools whose schema allows it are sent `strict`; false where the model cannot, or all together are too much for it. */
  readonly strictTools?: boolean
}

/** The options with their defaults, beside the client. */
export type Settings = {
  readonly client: AnthropicClient
  /** Milliseconds that a response in one piece may take: nothing is heard of it before it is whole. */
  readonly wholeMs: number
  readonly maxOutputTokens: number
  readonly stream: boolean
  readonly stallMs: number
  readonly thinking: ThinkingConfigParam | undefined
  readonly providerTools: ReadonlyMap<string, JsonObject>
  readonly enforcedOutput: boolean
  readonly strictTools: boolean
}

const OPTIONS = [
  'client',
  'apiKey',
  'baseURL',
  'maxOutputTokens',
  'stream',
  'stallMs',
  'thinking',
  'providerTools',
  'enforcedOutput',
  'strictTools',
] as const

/** @throws ToolturnError `option_invalid`, also where no key is to be found */
export function readSettings(given: AnthropicOptions): Settings {
  const options = readKnown('options', given, OPTIONS)
  const maxOutputTokens = readCount('maxOutputTokens', options.maxOutputTokens, 8_192)
  const client = readClient(options)
  return {
    client,
    wholeMs: client.timeout ?? WHOLE_MS,
    maxOutputTokens,
    stream: readSwitch('stream', options.stream),
    stallMs: readCount('stallMs', options.stallMs, 60_000),
    thinking: readThinking(options.thinking, maxOutputTokens),
    providerTools: readProviderTools(options.providerTools),
    enforcedOutput: readSwitch('enforcedOutput', options.enforcedOutput),
    strictTools: readSwitch('strictTools', options.strictTools),
  }
}

const WHOLE_MS = 600_000
const MOST_COUNT = 2_147_483_647

function readCount(option: string, given: number | undefined, or: number): number {
  const count = given ?? or
  return Number.isInteger(count) && count >= 1 && count <= MOST_COUNT ? count : refuse(option, `a whole number from 1 to ${MOST_COUNT}`)
}

function readSwitch(option: string, given: boolean | undefined): boolean {
  return given === undefined ? true : typeof given === 'boolean' ? given : refuse(option, 'true or false')
}

function readClient({ client, apiKey, baseURL }: AnthropicOptions): AnthropicClient {
  if (client === undefined) return newClient(apiKey, baseURL)
  if (apiKey !== undefined || baseURL !== undefined) refuse('client', 'either a client, or apiKey and baseURL to make one')
  readFunction('client.messages.create', typeof client === 'object' ? client?.messages?.create : undefined)
  return client
}

/** The runtime counts and records retries, and what the SDK would log holds the content of requests. */
function newClient(apiKey: string | undefined, baseURL: string | undefined): AnthropicClient {
  const [key, token] = [keyIn('ANTHROPIC_API_KEY'), keyIn('ANTHROPIC_AUTH_TOKEN')]
  const url = environment('ANTHROPIC_BASE_URL')
  if (url !== undefined) readUrl('ANTHROPIC_BASE_URL', url)
  if (apiKey === undefined && key === undefined && token === undefined)
    throw new ToolturnError(
      'option_invalid',
      'No key for Anthropic: set the environment variable ANTHROPIC_API_KEY, or the option `apiKey`.',
      {
        option: 'apiKey',
      },
    )
  return new Anthropic({
    ...(apiKey === undefined ? {} : { apiKey: readKey('apiKey', apiKey) }),
    ...(baseURL === undefined ? {} : { baseURL: readUrl('baseURL', baseURL) }),
    maxRetries: 0,
    logLevel: 'off',
  })
}

function keyIn(variable: string): string | undefined {
  const found = environment(variable)
  return found === undefined ? undefined : readKey(variable, found)
}

function readThinking(given: ThinkingConfigParam | undefined, maxOutputTokens: number): ThinkingConfigParam | undefined {
  if (given === undefined) return undefined
  const thinking = readJsonValue('thinking', given)
  if (!isJsonObject(thinking) || typeof thinking['type'] !== 'string') return refuse('thinking', 'what the API takes: { type, … }')
  const { budget_tokens: budget } = thinking
  if (typeof budget === 'number' && budget >= maxOutputTokens) refuse('thinking.budget_tokens', 'less than maxOutputTokens')
  return thinking as unknown as ThinkingConfigParam
}

function readProviderTools(given: AnthropicOptions['providerTools'] = {}): ReadonlyMap<string, JsonObject> {
  return new Map(
    Object.entries(readKnown('providerTools', given)).map(([name, definition]) => {
      const option = `providerTools.${name}`
      const tool = readJsonValue(option, definition)
      if (!isJsonObject(tool) || typeof tool['type'] !== 'string')
        return refuse(option, "the API's own definition of a tool that it runs: { type, name, … }")
      if (tool['type'] === 'custom') refuse(option, 'a tool that Anthropic runs; one that this side runs is written with tool()')
      if (namesServers(tool)) refuse(option, 'none of MCP or agents: such calls are never left to the provider (F4)')
      return [name, tool]
    }),
  )
}
