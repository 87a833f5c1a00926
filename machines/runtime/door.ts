// Bad input stops at the door: what hosts and people hand in, checked before anything is done with it.

import { ToolturnError } from '../errors.ts'
import { TOKEN } from '../ids.ts'
import { resolveLimits, type LimitOptions, type Limits } from '../limits.ts'
import type { ListFilter, TurnStateName } from '../ports/store.ts'
import type { Approver, Principal, Via } from '../principal.ts'
import { canonicalJson, type Json } from '../json.ts'
import { epochMs } from '../time.ts'
import type { ListOptions, PrincipalInput, SpawnOptions } from './api.ts'
import { parseJson } from '../json-text.ts'

/** @throws ToolturnError `option_invalid`, always */
export function refuse(option: string, expected: string): never {
  throw new ToolturnError('option_invalid', `\`${option}\` is not valid: expected ${expected}.`, { option, expected })
}

export function readTenant(tenant: string | undefined): string {
  const value = tenant ?? 'default'
  return typeof value === 'string' && TOKEN.test(value) ? value : refuse('tenant', 'up to 64 letters, digits, - and _')
}

export function readPrincipal(option: string, given: PrincipalInput): Principal {
  if (typeof given !== 'object' || given === null) refuse(option, 'a principal: { issuer, id, kind, scopes? }')
  const { issuer, id, kind, scopes = [] } = given
  if (typeof issuer !== 'string' || issuer === '') refuse(`${option}.issuer`, 'a text that is not empty')
  if (typeof id !== 'string' || id === '') refuse(`${option}.id`, 'a text that is not empty')
  if (kind !== 'person' && kind !== 'service') refuse(`${option}.kind`, 'person or service')
  if (!Array.isArray(scopes) || !scopes.every(scope => typeof scope === 'string' && scope !== '')) refuse(`${option}.scopes`, 'a list of texts')
  return { issuer, id, kind, scopes: [...scopes] }
}

const LANES: readonly Via[] = ['app', 'link', 'delegate', 'mcp']

export function readVia(via: Via | undefined): Via {
  const value = via ?? 'app'
  return LANES.includes(value) ? value : refuse('via', LANES.join(', '))
}

export function readLimits(...sets: readonly (LimitOptions | undefined)[]): Limits {
  const limits = resolveLimits(...sets)
  return 'invalid' in limits ? refuse(`limits.${limits.invalid}`, 'a limit by its name, a whole number of at least its least') : limits
}

const LABELS_MAX = 16
const LABEL_CHARACTERS = 256

export function readLabels(labels: SpawnOptions['labels']): { readonly [name: string]: string } {
  const entries = Object.entries(labels ?? {})
  if (entries.length > LABELS_MAX) refuse('labels', `at most ${LABELS_MAX}`)
  for (const [name, value] of entries) {
    if (typeof value !== 'string' || value.length > LABEL_CHARACTERS || name === '' || name.length > LABEL_CHARACTERS) {
      refuse('labels', `names and texts of at most ${LABEL_CHARACTERS} characters`)
    }
  }
  return Object.fromEntries(entries)
}

const KEY_CHARACTERS = 512

export function readKey(key: string | undefined): string | null {
  if (key === undefined) return null
  const good = typeof key === 'string' && key !== '' && key.length <= KEY_CHARACTERS && !key.includes('\0')
  return good ? key : refuse('key', `a text of 1 to ${KEY_CHARACTERS} characters`)
}

/** Approvers without an issuer are of the turn's own. */
export function readApprovers(approvers: SpawnOptions['approvers'], principal: Principal | null): Approver[] {
  return (approvers ?? []).map(({ id, issuer = principal?.issuer, kind }, index) => {
    if (typeof id !== 'string' || id === '') refuse(`approvers[${index}].id`, 'a text that is not empty')
    if (issuer === undefined) refuse(`approvers[${index}].issuer`, 'an issuer, since the turn has no principal to take it from')
    return kind === undefined ? { id, issuer } : { id, issuer, kind }
  })
}

const STATES: readonly TurnStateName[] = [
  'thinking', 'admitting', 'working', 'holding', 'asking', 'cancelling',
  'completed', 'refused', 'exhausted', 'cancelled', 'failed',
]

export function readFilter(options: ListOptions): ListFilter {
  const { state, principal, since, until, limit = 100 } = options
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) refuse('limit', 'a whole number from 1 to 1000')
  const states = state === undefined ? undefined : Array.isArray(state) ? state : [state as TurnStateName]
  for (const name of states ?? []) if (!STATES.includes(name)) refuse('state', STATES.join(', '))
  const { tenant, labels, tool, outcome, parked, cursor } = options
  return {
    limit,
    ...(tenant === undefined ? {} : { tenant: readTenant(tenant) }),
    ...(states === undefined ? {} : { state: states }),
    ...(principal === undefined ? {} : { principal: typeof principal === 'string' ? { id: principal } : principal }),
    ...(since === undefined ? {} : { since: readTime('since', since) }),
    ...(until === undefined ? {} : { until: readTime('until', until) }),
    ...(labels === undefined ? {} : { labels }),
    ...(tool === undefined ? {} : { tool }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(parked === undefined ? {} : { parked }),
    ...(cursor === undefined ? {} : { cursor }),
  }
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
    text = canonicalJson(value)
  } catch {
    return refuse(option, 'a JSON value')
  }
  if (text.length > VALUE_CHARACTERS) refuse(option, `at most ${VALUE_CHARACTERS} characters of JSON`)
  return parseJson(text)
}
