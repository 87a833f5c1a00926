// What a caller asks of a new turn: checked as a whole and copied before anything is done, so that it is what the turn is opened with.

import type { Input, OutputRequest } from '../events/turn.ts'
import type { LimitOptions } from '../limits.ts'
import { actingPerson, type Approver, type Principal } from '../principal.ts'
import { compiledSchema } from '../schemas/cache.ts'
import type { ContentTrust } from '../tool.ts'
import type { InputEntry, SpawnOptions } from './api.ts'
import {
  readJsonValue,
  readKnown,
  readLabels,
  readLimits,
  readList,
  readPrincipal,
  readTenant,
  readText,
  readTurnId,
  refuse,
} from './door.ts'

/** The options of a spawn, checked; nobody else holds a part of it but its signal. */
export type SpawnWish = {
  readonly principal: Principal | null
  readonly input: readonly Input[]
  readonly tenant: string
  readonly key: string | null
  readonly labels: { readonly [name: string]: string }
  readonly follows: string | null
  /** Null: all. */
  readonly tools: readonly string[] | null
  readonly output: OutputRequest['schema'] | null
  readonly limits: LimitOptions
  readonly approvers: readonly Approver[]
  readonly signal: AbortSignal | undefined
}

const NAMES = ['input', 'principal', 'tenant', 'key', 'labels', 'follows', 'tools', 'output', 'limits', 'approvers', 'signal']

/** @throws ToolturnError `option_invalid`, also for a name that is no option */
export function readSpawn(given: SpawnOptions): SpawnWish {
  const options = readKnown('options', given, NAMES)
  const principal = options.principal === null ? null : readPrincipal('principal', options.principal)
  return {
    principal,
    input: readInput(options.input, principal),
    tenant: readTenant(options.tenant),
    key: readKey(options.key),
    labels: readLabels(options.labels),
    follows: options.follows === undefined ? null : readTurnId(options.follows, 'follows'),
    tools: options.tools === undefined ? null : readList('tools', options.tools).map((name, index) => readText(`tools[${index}]`, name)),
    output: readOutput(options.output),
    limits: readLimitOptions(options.limits),
    approvers: readApprovers(options.approvers, principal),
    signal: readSignal(options.signal),
  }
}

const ROLES = ['system', 'user', 'assistant']
const TRUSTS = ['trusted', 'untrusted']
const INPUT_ENTRIES = 10_000
const INPUT_CHARACTERS = 1_000_000

/** A plain string is what the acting person typed; entries without a mark are untrusted (C1). */
function readInput(given: SpawnOptions['input'], principal: Principal | null): Input[] {
  const input = typeof given === 'string' ? [typed(given, principal)] : readEntries(given)
  const characters = input.reduce((sum, entry) => sum + entry.text.length, 0)
  return characters <= INPUT_CHARACTERS ? input : refuse('input', `at most ${INPUT_CHARACTERS} characters in all`)
}

function typed(text: string, principal: Principal | null): Input {
  const contentTrust: ContentTrust = actingPerson(principal) === null ? 'untrusted' : 'trusted'
  return { role: 'user', text, contentTrust }
}

function readEntries(given: readonly InputEntry[]): Input[] {
  if (!Array.isArray(given) || given.length === 0 || given.length > INPUT_ENTRIES) {
    refuse('input', `a text, or a list of 1 to ${INPUT_ENTRIES} of { role, text, contentTrust? }`)
  }
  return (given as readonly InputEntry[]).map((entry, index) => {
    const option = `input[${index}]`
    const { role, text, contentTrust = 'untrusted' } = readKnown(option, entry, ['role', 'text', 'contentTrust'])
    if (!ROLES.includes(role)) refuse(`${option}.role`, ROLES.join(', '))
    if (typeof text !== 'string') refuse(`${option}.text`, 'a text')
    if (!TRUSTS.includes(contentTrust)) refuse(`${option}.contentTrust`, TRUSTS.join(', '))
    return { role, text, contentTrust }
  })
}

function readKey(key: string | undefined): string | null {
  return key === undefined ? null : readText('key', key)
}

/** A schema that cannot be used would only be found out when the model has answered. */
function readOutput(given: SpawnOptions['output']): OutputRequest['schema'] | null {
  if (given === undefined) return null
  const schema = readJsonValue('output.schema', readKnown('output', given, ['schema']).schema)
  if (typeof schema !== 'boolean' && (typeof schema !== 'object' || schema === null || Array.isArray(schema))) {
    refuse('output.schema', 'a JSON Schema: an object, true or false')
  }
  const usable = schema as OutputRequest['schema']
  const compiled = compiledSchema(usable)
  return compiled.ok ? usable : refuse('output.schema', `a JSON Schema that can be used: ${compiled.reason}`)
}

function readLimitOptions(given: LimitOptions | undefined): LimitOptions {
  if (given === undefined) return {}
  const limits = { ...readKnown('limits', given) }
  readLimits(limits)
  return limits
}

const KINDS = ['person', 'service']
const APPROVERS_MAX = 256

/** Approvers without an issuer are of the turn's own. */
function readApprovers(given: SpawnOptions['approvers'], principal: Principal | null): Approver[] {
  return readList('approvers', given ?? [], APPROVERS_MAX).map((row, index) => {
    const option = `approvers[${index}]`
    const { id, issuer = principal?.issuer, kind } = readKnown(option, row, ['id', 'issuer', 'kind'])
    if (issuer === undefined) refuse(`${option}.issuer`, 'an issuer, since the turn has no principal to take it from')
    if (kind !== undefined && !KINDS.includes(kind)) refuse(`${option}.kind`, KINDS.join(', '))
    const approver = { id: readText(`${option}.id`, id), issuer: readText(`${option}.issuer`, issuer) }
    return kind === undefined ? approver : { ...approver, kind }
  })
}

function readSignal(signal: AbortSignal | undefined): AbortSignal | undefined {
  if (signal === undefined || (signal as unknown) instanceof AbortSignal) return signal
  return refuse('signal', 'an AbortSignal')
}
