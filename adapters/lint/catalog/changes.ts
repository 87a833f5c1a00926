// What breaks for those who used the tools of an earlier catalog: prompts, waiting calls, recorded turns.

import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../../../machines/json.ts'
import { closeNames } from '../../../machines/names.ts'
import type { Schema } from '../../../machines/schemas/places.ts'
import { quoted, type Finding } from '../finding.ts'
import type { Linted } from './linted.ts'
import { escaped, meant, propertiesOf, typesOf } from './parameters.ts'
import { found } from './words.ts'

export function changeFindings(before: readonly Linted[], now: readonly Linted[]): readonly Finding[] {
  const byName = new Map(now.map(tool => [tool.name, tool]))
  const added = now.map(({ name }) => name).filter(name => before.every(tool => tool.name !== name))
  return before.flatMap(old => {
    const tool = byName.get(old.name)
    return tool === undefined ? [removed(old.name, added)] : toolChanges(old, tool)
  })
}

function removed(name: string, added: readonly string[]): Finding {
  const [close] = closeNames(name, added)
  return found('tool-removed', name, '', `The tool is gone${close === undefined ? '' : `; a new one is called ${quoted(close)}`}.`)
}

function toolChanges(old: Linted, now: Linted): readonly Finding[] {
  const [before, after] = [old.descriptor, now.descriptor]
  const policy = changeText(before.replayPolicy, after.replayPolicy)
  const trust = changeText(before.contentTrust, after.contentTrust)
  return [
    ...(policy === null ? [] : [found('replay-policy-changed', now.name, '/replayPolicy', `The replay policy ${policy}.`)]),
    ...(trust === null ? [] : [found('content-trust-changed', now.name, '/contentTrust', `The content trust ${trust}.`)]),
    ...(old.faults.length > 0 || now.faults.length > 0 ? [] : inputChanges(old.inputSchema, now.inputSchema, now.name)),
  ]
}

/** What is not known of one of them has not changed. */
function changeText(before: string | undefined, now: string | undefined): string | null {
  return before === undefined || now === undefined || before === now ? null : `was ${quoted(before)} and is ${quoted(now)}`
}

/** Two schemas that stand at the same place. */
type Pair = { readonly old: Json | undefined; readonly now: Json | undefined; readonly path: string }

/** What their references point into, and which schemas were compared already: recursive ones come again and again. */
type Comparison = { readonly tool: string; readonly old: Schema; readonly now: Schema; readonly compared: Map<JsonObject, Set<JsonObject>> }

/** Of schemas that compile: their size and their depth are bounded. */
function inputChanges(old: Schema, now: Schema, tool: string): readonly Finding[] {
  return schemaChanges({ old, now, path: '/inputSchema' }, { tool, old, now, compared: new Map() })
}

function schemaChanges(pair: Pair, comparison: Comparison): readonly Finding[] {
  if (!isJsonObject(pair.old) || !isJsonObject(pair.now)) return []
  const { tool, compared } = comparison
  const [old, now] = [meant(pair.old, comparison.old), meant(pair.now, comparison.now)]
  const against = compared.get(old) ?? new Set()
  if (against.has(now)) return []
  compared.set(old, against.add(now))
  const [before, after] = [propertiesOf(old), propertiesOf(now)]
  const pathTo = (name: string): string => `${pair.path}/properties/${escaped(name)}`
  const kept = Object.keys(before).filter(name => Object.hasOwn(after, name))
  const gone = Object.keys(before).filter(name => !Object.hasOwn(after, name))
  return [
    ...valueChanges(old, now, pair.path, tool),
    ...gone.map(name => found('parameter-removed', tool, pathTo(name), `The parameter ${quoted(name)} is gone.`)),
    ...newlyRequired(old, now).map(name => found('parameter-required', tool, pathTo(name), requiredText(name, before))),
    ...kept.flatMap(name => schemaChanges({ old: before[name], now: after[name], path: pathTo(name) }, comparison)),
    ...schemaChanges({ old: old['items'], now: now['items'], path: `${pair.path}/items` }, comparison),
  ]
}

function requiredText(name: string, before: JsonObject): string {
  return `The parameter ${quoted(name)} ${Object.hasOwn(before, name) ? 'was optional and is required' : 'is new and required'}.`
}

/** A default is filled in before anybody looks: what has one is never missing. */
function newlyRequired(old: JsonObject, now: JsonObject): readonly string[] {
  const before = new Set(namesIn(old['required']))
  const after = propertiesOf(now)
  return namesIn(now['required']).filter(name => !before.has(name) && !hasDefault(Object.hasOwn(after, name) ? after[name] : undefined))
}

function hasDefault(schema: Json | undefined): boolean {
  return isJsonObject(schema) && Object.hasOwn(schema, 'default')
}

function namesIn(list: Json | undefined): readonly string[] {
  return Array.isArray(list) ? (list as readonly Json[]).filter(name => typeof name === 'string') : []
}

function valueChanges(old: JsonObject, now: JsonObject, path: string, tool: string): readonly Finding[] {
  const [before, after] = [admitted(old), admitted(now)]
  if (after !== null && (before === null || before.some(type => !takes(after, type)))) {
    return [found('type-changed', tool, path, `The type was ${nameTypes(before)} and is ${nameTypes(after)}.`)]
  }
  const [choices, fewer] = [choicesOf(old), choicesOf(now)]
  if (fewer === null) return []
  if (choices === null) return [found('enum-narrowed', tool, path, `Any value of its type was taken, and now one of ${fewer.size}.`)]
  const gone = [...choices].filter(choice => !fewer.has(choice)).length
  return gone === 0 ? [] : [found('enum-narrowed', tool, path, `Of the ${choices.size} choices ${gone} ${gone === 1 ? 'is' : 'are'} gone.`)]
}

/** Types that a schema takes, through its alternatives too; null for any. */
function admitted(schema: JsonObject): readonly string[] | null {
  const own = typesOf(schema)
  if (own.length > 0) return schema['nullable'] === true ? [...own, 'null'] : own
  const alternatives = schema['anyOf'] ?? schema['oneOf']
  if (!Array.isArray(alternatives)) return null
  const inside = (alternatives as readonly Json[]).map(each => (isJsonObject(each) ? typesOf(each) : []))
  return inside.every(types => types.length > 0) ? inside.flat() : null
}

function takes(types: readonly string[], type: string): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'))
}

function nameTypes(types: readonly string[] | null): string {
  return types === null ? 'any' : types.map(type => quoted(type)).join(' or ')
}

/** The values of an `enum` or a `const`, each as its text; null where there is neither. */
function choicesOf(schema: JsonObject): ReadonlySet<string> | null {
  if (Object.hasOwn(schema, 'const')) return new Set([canonicalJson(schema['const'])])
  return Array.isArray(schema['enum']) ? new Set((schema['enum'] as readonly Json[]).map(canonicalJson)) : null
}
