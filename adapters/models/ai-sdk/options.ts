// The options of the AI SDK's adapter, checked at the door.

import type { JSONObject, LanguageModelV4, LanguageModelV4ProviderTool } from '@ai-sdk/provider'
import { isJsonObject, type Json, type JsonObject } from '../../../machines/json.ts'
import { readFunction, readKnown, readText, refuse } from '../../../machines/runtime/door.ts'
import { isPlainObject, takeJson } from '../../../machines/runtime/json-copy.ts'
import { isServerWord, namesServers } from '../servers.ts'

/** Options of a provider package, by the provider's name, e.g. `{ openai: { parallelToolCalls: false } }`. */
export type ProviderOptions = { readonly [provider: string]: JsonObject }

/**
 * A tool that the provider runs, as its package makes it: `anthropic.tools.webSearch_20250305({ … })`, or its id and arguments.
 * What else the object holds is left behind.
 */
export type ProviderToolDefinition = {
  readonly type: 'provider'
  readonly id: `${string}.${string}`
  readonly args?: { readonly [name: string]: unknown }
  readonly isProviderExecuted?: boolean
}

export type AiSdkOptions = {
  /** What the model is called in records and messages; default: the provider and the model, as the package names them. */
  readonly name?: string
  /** Room for one answer, in tokens, doubled after an answer that ran out of it (B4). Default: what the package gives. */
  readonly maxOutputTokens?: number
  /** Default true. Whole answers of some packages hold argument texts that were parsed and written anew. */
  readonly stream?: boolean
  /** Milliseconds of silence of a stream that are borne; default 60,000. */
  readonly stallMs?: number
  /** What the provider may run itself, by the name that the runtime's `providerTools` has for it. */
  readonly providerTools?: { readonly [name: string]: ProviderToolDefinition }
  /**
   * Sent with every request, as they are. Where nothing else is said here, providers that would store answers and be sent references
   * to them are told not to: what goes back is what was recorded.
   */
  readonly providerOptions?: ProviderOptions
  /** True: the model holds an output schema. Default false, since the interface does not say: it is asked for in words (A2). */
  readonly enforcedOutput?: boolean
  /** `none`: a model that cannot call tools. Default `native`. */
  readonly toolCalls?: 'native' | 'none'
}

/** The options as the adapter works by them. */
export type Settings = {
  readonly name: string
  readonly maxOutputTokens: number | undefined
  readonly stream: boolean
  readonly stallMs: number
  readonly providerTools: ReadonlyMap<string, LanguageModelV4ProviderTool>
  readonly providerOptions: Record<string, JSONObject>
  readonly enforcedOutput: boolean
  readonly toolCalls: 'native' | 'none'
}

const NAMES = ['name', 'maxOutputTokens', 'stream', 'stallMs', 'providerTools', 'providerOptions', 'enforcedOutput', 'toolCalls']
const STALL_MS = 60_000
/** The longest that a timer of this platform waits. */
const STALL_MOST = 2_147_483_647
const NAME_CHARACTERS = 1_024
const OPTION_VALUES = 10_000

/**
 * The version of the interface that is spoken here is the newest. Older ones say less of what a tool call is, so they are refused.
 *
 * @throws ToolturnError `option_invalid`
 */
export function readLanguageModel(given: LanguageModelV4): LanguageModelV4 {
  const spoken = 'a language model of specification v4, from a provider package that is built on @ai-sdk/provider 4'
  if (typeof given === 'string') refuse('languageModel', `${spoken}; a name alone is none`)
  if ((typeof given !== 'object' && typeof given !== 'function') || given === null) refuse('languageModel', spoken)
  const version: unknown = given.specificationVersion
  if (version !== 'v4') refuse('languageModel', `${spoken}; this one is of ${typeof version === 'string' ? version.slice(0, 20) : 'none'}`)
  for (const method of ['doGenerate', 'doStream'] as const) readFunction(`languageModel.${method}`, given[method])
  readText('languageModel.provider', given.provider)
  readText('languageModel.modelId', given.modelId)
  return given
}

/** @throws ToolturnError `option_invalid` */
export function readOptions(given: AiSdkOptions, { provider, modelId }: LanguageModelV4): Settings {
  const options = readKnown('options', given, NAMES)
  const { name = `${provider}/${modelId}`, maxOutputTokens, stream = true, stallMs = STALL_MS } = options
  const { providerTools = {}, providerOptions = {}, enforcedOutput = false, toolCalls = 'native' } = options
  if (typeof stream !== 'boolean') refuse('stream', 'true or false')
  if (typeof enforcedOutput !== 'boolean') refuse('enforcedOutput', 'true or false')
  if (toolCalls !== 'native' && toolCalls !== 'none') refuse('toolCalls', 'native or none')
  if (maxOutputTokens !== undefined && !isCount(maxOutputTokens)) refuse('maxOutputTokens', 'a whole number of tokens, from 1')
  if (!isCount(stallMs) || stallMs > STALL_MOST) refuse('stallMs', `a whole number of milliseconds, 1 to ${STALL_MOST}`)
  return {
    name: readText('name', name, NAME_CHARACTERS),
    maxOutputTokens,
    stream,
    stallMs,
    providerTools: readProviderTools(providerTools),
    providerOptions: withoutStore(readProviderOptions(providerOptions), provider),
    enforcedOutput,
    toolCalls,
  }
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1
}

function readProviderTools(given: NonNullable<AiSdkOptions['providerTools']>): ReadonlyMap<string, LanguageModelV4ProviderTool> {
  if (!isPlainObject(given)) refuse('providerTools', 'an object of tools by their names')
  return new Map(Object.entries(given).map(([name, tool]) => [readText('providerTools', name), readProviderTool(name, tool)]))
}

/** Only what is listed here leaves for the provider: the objects of the AI SDK may hold functions beside it (G7). */
function readProviderTool(name: string, given: ProviderToolDefinition): LanguageModelV4ProviderTool {
  const option = `providerTools.${name}`
  if (typeof given !== 'object' || given === null || given.type !== 'provider')
    refuse(option, "a provider's tool: { type: 'provider', id, args }")
  const { id, args = {}, isProviderExecuted } = given
  if (typeof id !== 'string' || !/^[^.]+\../.test(id)) refuse(`${option}.id`, '<provider>.<tool>')
  if (isServerWord(id)) refuse(option, NO_SERVERS)
  if (isProviderExecuted === false) refuse(option, 'a tool that the provider runs; one that this side runs is written with tool()')
  return { type: 'provider', id, name, args: plainJson(`${option}.args`, args) }
}

/** By these a provider runs tools that are in no manifest. */
const HIDDEN_TOOLS: ReadonlySet<string> = new Set([
  'builtin_tools',
  'plugins',
  'searchParameters',
  'search_parameters',
  'useSearchGrounding',
  'webSearchOptions',
  'web_search_options',
])

function readProviderOptions(given: ProviderOptions): Record<string, JSONObject> {
  const plain = plainJson('providerOptions', given)
  if (!Object.values(plain).every(isJsonObject)) refuse('providerOptions', 'an object of options for each provider')
  const hidden = Object.values(plain).flatMap(options =>
    isJsonObject(options) ? Object.keys(options).filter(name => HIDDEN_TOOLS.has(name)) : [],
  )
  if (hidden.length > 0) refuse(`providerOptions: ${hidden[0]}`, 'nothing: what a provider runs is listed in `providerTools` (F1)')
  return plain as Record<string, JSONObject>
}

/** Packages of the Responses API have this option under their provider's name. */
function withoutStore(options: Record<string, JSONObject>, provider: string): Record<string, JSONObject> {
  const [name = '', api] = provider.split('.', 2)
  return api === 'responses' ? { ...options, [name]: { store: false, ...options[name] } } : options
}

/** Options are JSON: so no function goes along, and nothing changes them later. */
function plainJson(option: string, given: unknown): JsonObject {
  let plain: Json
  try {
    plain = takeJson(given, OPTION_VALUES)
  } catch {
    return refuse(option, 'an object of JSON values')
  }
  if (!isJsonObject(plain)) return refuse(option, 'an object')
  return namesServers(plain) ? refuse(option, NO_SERVERS) : plain
}

const NO_SERVERS = 'nothing that lets the provider call tools over MCP or A2A: those calls are made here (F4)'
