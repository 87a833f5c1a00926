// Bad input stops at the door: what hosts and people hand in, checked before anything is done with it.

import { ToolturnError } from '../errors.ts'
import { TOKEN } from '../ids.ts'
import { resolveLimits, type LimitOptions, type Limits } from '../limits.ts'
import type { ListFilter, TurnStateName } from '../ports/rows.ts'
import type { Principal, Via } from '../principal.ts'
import { canonicalJson, type Json } from '../json.ts'
import { epochMs } from '../time.ts'
import type { ListOptions, PrincipalInput, SpawnOptions } from './api.ts'
import { takeJson, isPlainObject } from './json-copy.ts'
import { parseJson } from '../json-text.ts'

/** @throws ToolturnError `option_invalid`, always */
export function refuse(option: string, expected: string): never {
  throw new ToolturnError('option_invalid', `\`${option}\` is not valid: expected ${expected}.`, { option, expected })
}

/**
 * An object of options. A name that is none of them is refused: a misspelled option is a wish that nobody hears.
 *
 * @param names left out where the caller looks at the names itself
 */
export function readKnown<T>(option: string, given: T, names?: readonly string[]): T {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return refuse(option, 'an object')
  const stranger = names === undefined ? undefined : Object.keys(given).find(name => !names.includes(name))
  if (stranger === undefined) return given
  return refuse(`${option}.${stranger.slice(0, TEXT_CHARACTERS)}`, `none but ${names?.join(', ')}`)
}

const TEXT_CHARACTERS = 512

/** A text that can be stored and compared: ids, issuers, names, keys. */
export function readText(option: string, given: unknown, characters = TEXT_CHARACTERS): string {
  const good = typeof given === 'string' && given !== '' && given.length <= characters && !given.includes('\0') && given.isWellFormed()
  return good ? given : refuse(option, `a text of 1 to ${characters} characters`)
}

const LIST_MAX = 1_000

export function readList<T>(option: string, given: readonly T[], most = LIST_MAX): readonly T[] {
  return Array.isArray(given) && given.length <= most ? given : refuse(option, `a list of at most ${most}`)
}

export function readFunction<T>(option: string, given: T): T {
  return typeof given === 'function' ? given : refuse(option, 'a function')
}

export function readTurnId(turnId: string, option = 'turnId'): string {
  return readText(option, turnId)
}

export function readTenant(tenant: string | undefined): string {
  const value = tenant ?? 'default'
  return typeof value === 'string' && TOKEN.test(value) ? value : refuse('tenant', 'up to 64 letters, digits, - and _')
}

export function readPrincipal(option: string, given: PrincipalInput): Principal {
  if (typeof given !== 'object' || given === null) refuse(option, 'a principal: { issuer, id, kind, scopes? }')
  const { issuer, id, kind, scopes = [] } = readKnown(option, given, ['issuer', 'id', 'kind', 'scopes'])
  if (kind !== 'person' && kind !== 'service') refuse(`${option}.kind`, 'person or service')
  return {
    issuer: readText(`${option}.issuer`, issuer),
    id: readText(`${option}.id`, id),
    kind,
    scopes: readList(`${option}.scopes`, scopes).map((scope, index) => readText(`${option}.scopes[${index}]`, scope)),
  }
}

const LANES: readonly Via[] = ['app', 'link', 'delegate', 'mcp']

/** The lane of a decision. It is never guessed: one that is left out would pass as the lane that may do most (C4). */
export function readVia(via: Via): Via {
  return LANES.includes(via) ? via : refuse('via', LANES.join(', '))
}

export function readLimits(...sets: readonly (LimitOptions | undefined)[]): Limits {
  const limits = resolveLimits(...sets)
  return 'invalid' in limits ? refuse(`limits.${limits.invalid}`, 'a limit by its name, a whole number of at least its least') : limits
}

const LABELS_MAX = 16
const LABEL_CHARACTERS = 256

export function readLabels(labels: SpawnOptions['labels']): { readonly [name: string]: string } {
  if (labels !== undefined && !isPlainObject(labels)) refuse('labels', 'an object of texts')
  const entries = Object.entries(labels ?? {})
  if (entries.length > LABELS_MAX) refuse('labels', `at most ${LABELS_MAX}`)
  for (const [name, value] of entries) {
    readText('labels', name, LABEL_CHARACTERS)
    if (value !== '') readText('labels', value, LABEL_CHARACTERS)
  }
  return Object.fromEntries(entries)
}

const STATES: readonly TurnStateName[] = [
  'thinking',
  'admitting',
  'working',
  'holding',
  'asking',
  'cancelling',
  'completed',
  'refused',
  'exhausted',
  'cancelled',
  'failed',
]

const FILTERS = ['tenant', 'state', 'labels', 'principal', 'tool', 'outcome', 'since', 'until', 'parked', 'limit', 'cursor']
const CURSOR_CHARACTERS = 4_096

export function readFilter(given: ListOptions, more: readonly string[] = []): ListFilter {
  const { limit = 100, ...options } = readKnown('options', given, [...FILTERS, ...more])
  const { state, principal, since, until, tenant, labels, tool, outcome, parked, cursor } = options
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) refuse('limit', 'a whole number from 1 to 1000')
  const states = state === undefined ? undefined : Array.isArray(state) ? state : [state as TurnStateName]
  for (const name of states ?? []) if (!STATES.includes(name)) refuse('state', STATES.join(', '))
  return {
    limit,
    ...(tenant === undefined ? {} : { tenant: readTenant(tenant) }),
    ...(states === undefined ? {} : { state: states }),
    ...(principal === undefined ? {} : { principal: readWhom(principal) }),
    ...(since === undefined ? {} : { since: readTime('since', since) }),
    ...(until === undefined ? {} : { until: readTime('until', until) }),
    ...(labels === undefined ? {} : { labels: readLabels(labels) }),
    ...(tool === undefined ? {} : { tool: readText('tool', tool) }),
    ...(outcome === undefined ? {} : { outcome: readText('outcome', outcome) as typeof outcome }),
    ...(parked === undefined ? {} : { parked: parked === true }),
    ...(cursor === undefined ? {} : { cursor: readText('cursor', cursor, CURSOR_CHARACTERS) }),
  }
}

function readWhom(given: NonNullable<ListOptions['principal']>): NonNullable<ListFilter['principal']> {
  if (typeof given === 'string') return { id: readText('principal', given) }
  const { id, issuer } = readKnown('principal', given, ['id', 'issuer', 'kind', 'scopes'])
  return { id: readText('principal.id', id), ...(issuer === undefined ? {} : { issuer: readText('principal.issuer', issuer) }) }
}

/** ISO 8601; a bare date is UTC. @returns epoch milliseconds */
export function readTime(option: string, time: string | number | Date): number {
  const ms = typeof time === 'string' ? epochMs(time) : Number(time)
  return Number.isFinite(ms) ? ms : refuse(option, 'a time in ISO 8601')
}

const VALUE_CHARACTERS = 65_536

/** A JSON value of bounded size, copied, so that nobody changes it afterwards. */
export function readJsonValue(option: string, value: unknown): Json {
  let text: string
  try {
    text = canonicalJson(takeJson(value, VALUE_CHARACTERS))
  } catch {
    return refuse(option, 'a JSON value')
  }
  if (text.length > VALUE_CHARACTERS) refuse(option, `at most ${VALUE_CHARACTERS} characters of JSON`)
  return parseJson(text)
}
