// The server that is asked, and the client that asks it: options read at the door, keys that go nowhere else, and whose server it is.

import OpenAI from 'openai'
import { isJsonObject, type JsonObject } from '../../../machines/json.ts'
import { readJsonValue, refuse } from '../../../machines/runtime/door.ts'
import { environment, readKey, readUrl } from '../reach.ts'
import { namesServers } from '../servers.ts'

/** What both APIs can be told. */
export type ServerOptions = {
  /** A client of yours, in place of one made from `apiKey` and `baseURL`. It is asked once for each try: retries are the runtime's. */
  readonly client?: OpenAI
  /** Default: the environment variable OPENAI_API_KEY. */
  readonly apiKey?: string
  /** Default: the environment variable OPENAI_BASE_URL, else OpenAI itself. */
  readonly baseURL?: string
  /** Whether answers are told while they come. Default true. */
  readonly stream?: boolean
  /** Milliseconds of silence in a stream after which it is given up. Default 60,000. */
  readonly stallMs?: number
  /** Tokens of an answer; doubled after each round that ran out of them (B4). Default: the provider's own bound. */
  readonly maxOutputTokens?: number
  /** Whether the server holds an output schema (A2). */
  readonly enforcedOutput?: boolean
  /** More fields of every request, e.g. `{ temperature: 0 }`. Those that the adapter itself writes are refused. */
  readonly body?: JsonObject
}

export const SERVER_OPTIONS = ['client', 'apiKey', 'baseURL', 'stream', 'stallMs', 'maxOutputTokens', 'enforcedOutput', 'body'] as const

export type Server = {
  readonly client: OpenAI
  /** What it is called in failures. */
  readonly who: string
  /** Its host's name: what it gave for itself goes back to no other. */
  readonly host: string
  /** OpenAI's own, and not one that speaks like it. */
  readonly isOpenAI: boolean
  readonly stream: boolean
  readonly stallMs: number
  readonly maxOutputTokens: number | undefined
  readonly body: JsonObject
}

const STALL_MS = 60_000
/** Sent where a server wants no key: the client does not ask without one. */
const NO_KEY = 'none'

/**
 * @param needsKey whether there must be a key also for servers that are not OpenAI's
 * @param owned fields of a request that the adapter writes itself
 * @throws ToolturnError `option_invalid`
 */
export function openServer(options: ServerOptions, needsKey: boolean, owned: readonly string[]): Server {
  const client = options.client === undefined ? makeClient(options, needsKey) : readClient(options)
  const { hostname } = new URL(client.baseURL)
  const isOpenAI = isOpenAIHost(hostname)
  return {
    client,
    who: isOpenAI ? 'OpenAI' : hostname,
    host: hostname,
    isOpenAI,
    stream: readFlag('stream', options.stream ?? true),
    stallMs: readCount('stallMs', options.stallMs ?? STALL_MS),
    maxOutputTokens: options.maxOutputTokens === undefined ? undefined : readCount('maxOutputTokens', options.maxOutputTokens),
    body: readBody(options.body ?? {}, owned),
  }
}

function isOpenAIHost(hostname: string): boolean {
  return hostname === 'openai.com' || hostname.endsWith('.openai.com')
}

function makeClient(options: ServerOptions, needsKey: boolean): OpenAI {
  const baseURL = options.baseURL === undefined ? environmentUrl() : readUrl('baseURL', options.baseURL)
  const isElsewhere = options.baseURL !== undefined && baseURL !== undefined && !isOpenAIHost(new URL(baseURL).hostname)
  return new OpenAI({
    apiKey: keyFor(options.apiKey, isElsewhere, needsKey),
    adminAPIKey: null,
    // What the environment says of an account at OpenAI is nobody else's business.
    ...(isElsewhere ? { organization: null, project: null } : {}),
    ...(baseURL === undefined ? {} : { baseURL }),
    maxRetries: 0,
    logLevel: 'off',
  })
}

/** The key of the environment is OpenAI's: where no key is needed it goes to no other server. */
function keyFor(given: string | undefined, isElsewhere: boolean, needsKey: boolean): string {
  if (given !== undefined) return readKey('apiKey', given)
  if (isElsewhere && !needsKey) return NO_KEY
  const found = environment('OPENAI_API_KEY') ?? refuse('apiKey', 'a key, here or in the environment variable OPENAI_API_KEY')
  return readKey('OPENAI_API_KEY', found)
}

function environmentUrl(): string | undefined {
  const found = environment('OPENAI_BASE_URL')
  return found === undefined ? undefined : readUrl('OPENAI_BASE_URL', found)
}

function readClient({ client, apiKey, baseURL }: ServerOptions): OpenAI {
  const { chat, responses, baseURL: url } = (client ?? {}) as Partial<OpenAI>
  const isOne = canCreate(chat?.completions) && canCreate(responses) && URL.canParse(url ?? '')
  if (!isOne) refuse('client', 'a client of the package openai')
  if (apiKey !== undefined) refuse('apiKey', 'nothing beside `client`, which has its own')
  if (baseURL !== undefined) refuse('baseURL', 'nothing beside `client`, which has its own')
  return client as OpenAI
}

function canCreate(api: { readonly create?: unknown } | undefined): boolean {
  return typeof api?.create === 'function'
}

export function readFlag(option: string, given: boolean): boolean {
  return typeof given === 'boolean' ? given : refuse(option, 'true or false')
}

const MOST = 2_147_483_647

function readCount(option: string, given: number): number {
  return Number.isInteger(given) && given >= 1 && given <= MOST ? given : refuse(option, `a whole number from 1 to ${MOST}`)
}

/** By these fields a server runs tools that are in no manifest, or hands calls on to others (F1, F4). */
const HIDDEN_TOOLS = ['web_search_options', 'search_parameters', 'plugins', 'mcp_servers', 'builtin_tools']

function readBody(given: JsonObject, owned: readonly string[]): JsonObject {
  const body = readJsonValue('body', given)
  if (!isJsonObject(body)) return refuse('body', 'an object')
  for (const field of Object.keys(body)) {
    if (owned.includes(field)) refuse(`body.${field}`, 'nothing: the adapter writes this field itself')
    if (HIDDEN_TOOLS.includes(field)) refuse(`body.${field}`, 'nothing: what a provider runs is listed in `providerTools`')
  }
  if (namesServers(body)) refuse('body', 'nothing that lets the provider call tools over MCP or A2A: those calls are made here (F4)')
  return body
}
