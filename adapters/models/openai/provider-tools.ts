// Tools that OpenAI runs itself: which definitions a host may give (F1), and which items tell of their use. Calls of MCP servers and
// agents are never handed on to a provider: neither offered nor taken (F4).

import { isJsonObject, type Json, type JsonObject } from '../../../machines/json.ts'
import type { ProviderTool } from '../../../machines/events/turn.ts'
import type { ModelItem } from '../../../machines/ports/model.ts'
import { readJsonValue, readKnown, refuse } from '../../../machines/runtime/door.ts'
import { notSendable, protocolViolation } from '../failure.ts'
import { keep, readKept, type Origin } from './own.ts'
import { namesServers } from '../servers.ts'
import { restOf, textIn } from './wire.ts'

/** Definitions by the names under which turns list them, in the words of the API, e.g. `{ web_search: { type: 'web_search' } }`. */
export type ProviderTools = ReadonlyMap<string, JsonObject>

/** The kinds of definition that are known to run at OpenAI and nowhere else, and the type of the items that tell of their use. */
const KINDS: readonly { readonly definition: RegExp; readonly item: string }[] = [
  { definition: /^web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/, item: 'web_search_call' },
  { definition: /^file_search$/, item: 'file_search_call' },
  { definition: /^code_interpreter$/, item: 'code_interpreter_call' },
  { definition: /^image_generation$/, item: 'image_generation_call' },
]

function itemTypeOf(definition: JsonObject): string | undefined {
  return KINDS.find(kind => kind.definition.test(textIn(definition, 'type') ?? ''))?.item
}

/**
 * @throws ToolturnError `option_invalid` for a definition of another kind, `mcp` above all, and for two whose items could not be
 * told apart
 */
export function readProviderTools(given: { readonly [name: string]: object } = {}): ProviderTools {
  const tools = new Map<string, JsonObject>()
  const seen = new Set<string>()
  for (const [name, definition] of Object.entries(readKnown('providerTools', given))) {
    const option = `providerTools.${name}`
    const read = readJsonValue(option, definition)
    const item = isJsonObject(read) ? itemTypeOf(read) : undefined
    if (!isJsonObject(read) || item === undefined)
      return refuse(option, 'a tool that OpenAI itself runs: web_search, file_search, code_interpreter, image_generation')
    if (namesServers(read)) refuse(option, 'nothing that lets OpenAI call tools over MCP or A2A: those calls are made here (F4)')
    if (seen.has(item)) refuse(option, 'at most one definition of a kind')
    seen.add(item)
    tools.set(name, read)
  }
  return tools
}

/** The definitions of what a turn lists. @throws ModelFailure where one has none; nothing was sent */
export function listedDefinitions(tools: ProviderTools, listed: readonly ProviderTool[]): readonly JsonObject[] {
  return listed.map(({ name }) => {
    const definition = tools.get(name)
    if (definition !== undefined) return definition
    throw notSendable('The turn lists a tool of the provider that has no definition in the options of the model.')
  })
}

/** By the type of an item the name of the listed tool that it tells of. */
export function namesOfItems(tools: ProviderTools, listed: readonly ProviderTool[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const { name } of listed) {
    const type = itemTypeOf(tools.get(name) ?? {})
    if (type !== undefined) names.set(type, name)
  }
  return names
}

/** What came of the use; the rest of the item is what was asked. */
const RESULTS: ReadonlySet<string> = new Set(['status', 'results', 'outputs', 'result', 'error'])
const PLACE: ReadonlySet<string> = new Set(['type', 'id'])

/** A use with its result, in two parts that redaction reaches, which together are the item again. */
export function providerToolItem(item: JsonObject, name: string, origin: Origin): ModelItem {
  const id = textIn(item, 'id')
  const rest = restOf(item, PLACE)
  const input = Object.fromEntries(Object.entries(rest).filter(([field]) => !RESULTS.has(field)))
  const result = Object.fromEntries(Object.entries(rest).filter(([field]) => RESULTS.has(field)))
  return {
    kind: 'provider-tool',
    name,
    ...(id === undefined ? {} : { id }),
    input,
    result,
    extra: keep(origin, { type: textIn(item, 'type') ?? '' }),
  }
}

/** The item again, for the server that gave it. */
export function resentItem(item: Extract<ModelItem, { readonly kind: 'provider-tool' }>, origin: Origin): JsonObject | undefined {
  const own = readKept(origin, item.extra)
  if (own === undefined) return undefined
  return { ...fieldsOf(item.input), ...fieldsOf(item.result), ...own, ...(item.id === undefined ? {} : { id: item.id }) }
}

function fieldsOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

/** Items that ask somebody to do something, or tell that it was done, under whatever name. */
const ACTS = /_call(_output)?$|_request$|^(mcp|a2a|program)/

/**
 * Looks at an item that is no message, no reasoning and no call of a function.
 *
 * @returns the name of the listed tool that it tells of; undefined for an item that is only to be kept
 * @throws ModelFailure for a use of what was not offered, and for calls that were handed on (F1, F4)
 */
export function nameOfUse(item: JsonObject, names: ReadonlyMap<string, string>): string | undefined {
  const type = textIn(item, 'type') ?? ''
  const name = names.get(type)
  if (name !== undefined) return name
  if (/^(mcp|a2a)/.test(type)) throw protocolViolation('The answer tells of calls that the provider handed on to other servers.')
  if (ACTS.test(type)) throw protocolViolation('The answer holds a call of a kind that was not offered.')
  return undefined
}
