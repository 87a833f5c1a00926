// How a host writes a tool: one source for what the model sees and what runs, with the argument type inferred (G2).

import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { ToolturnError } from '../machines/errors.ts'
import { isJsonObject, type JsonObject } from '../machines/json.ts'
import { DEFAULT_LIMITS } from '../machines/limits.ts'
import { readFunction, readKnown, readList, readText, refuse } from '../machines/runtime/door.ts'
import {
  descriptorVersion,
  type ApprovalRule,
  type CallContext,
  type ContentTrust,
  type Reconciled,
  type ReplayPolicy,
  type Tool,
  type ToolDescriptor,
  type TurnView,
} from '../machines/tool.ts'

/** JSON Schema, or any Standard Schema that can write itself as JSON Schema. */
export type SchemaInput = JsonSchema | (StandardSchemaV1 & StandardJSONSchemaV1)
export type JsonSchema = { readonly [keyword: string]: unknown } | boolean

/** The arguments that `run` is given. */
export type ArgumentsOf<S> = S extends StandardSchemaV1
  ? StandardSchemaV1.InferInput<S>
  : S extends { readonly type: 'object'; readonly properties: infer P }
    ? ObjectOf<P, S extends { readonly required: readonly (infer R)[] } ? R : never>
    : JsonObject

type ObjectOf<P, R> = { [K in keyof P as K extends R ? K : never]: ValueOf<P[K]> } & {
  [K in keyof P as K extends R ? never : K]?: ValueOf<P[K]>
}

type ValueOf<S> = S extends { readonly enum: readonly (infer E)[] }
  ? E
  : S extends { readonly const: infer C }
    ? C
    : S extends { readonly type: 'string' }
      ? string
      : S extends { readonly type: 'number' | 'integer' }
        ? number
        : S extends { readonly type: 'boolean' }
          ? boolean
          : S extends { readonly type: 'array'; readonly items: infer I }
            ? ValueOf<I>[]
            : S extends { readonly type: 'object'; readonly properties: infer P }
              ? ObjectOf<P, S extends { readonly required: readonly (infer R)[] } ? R : never>
              : unknown

export type ToolOptions<S extends SchemaInput> = {
  readonly name: string
  /** What it does, when to use it and when not. The model chooses by this. */
  readonly description: string
  readonly input: S
  readonly output?: SchemaInput
  /** Whether a call may run again when its outcome is not known. When in doubt: at-most-once (D3). */
  readonly replayPolicy: ReplayPolicy
  /** Trust in what it returns; default untrusted (C1). */
  readonly contentTrust?: ContentTrust
  /** When a person must agree. Default: never for read-only, else when-untrusted. */
  readonly approval?: ApprovalRule | ((args: ArgumentsOf<S>, turn: TurnView) => ApprovalRule | Promise<ApprovalRule>)
  readonly scopes?: readonly string[]
  /** Milliseconds that one try may take; default 60,000. */
  readonly timeoutMs?: number
  /** Tries on a throw or a timeout; default 1. An at-most-once tool is tried once whatever stands here. */
  readonly tries?: number
  readonly recordBytes?: number
  /** Returns an MCP result or any value. A throw becomes an `isError` result (B9). */
  readonly run: (args: ArgumentsOf<S>, call: CallContext) => unknown
  /** Settles a dispatch in doubt; answers `did-not-happen` only after it has fenced that dispatch (D6). */
  readonly reconcile?: (args: ArgumentsOf<S>, call: CallContext) => Reconciled | Promise<Reconciled>
}

const NAMES = [
  'name',
  'description',
  'input',
  'output',
  'replayPolicy',
  'contentTrust',
  'approval',
  'scopes',
  'timeoutMs',
  'tries',
  'recordBytes',
  'run',
  'reconcile',
]
const NAME_CHARACTERS = 256
const POLICIES: readonly ReplayPolicy[] = ['read-only', 'idempotent', 'at-most-once']
const TRUSTS: readonly ContentTrust[] = ['trusted', 'untrusted']
const RULES: readonly ApprovalRule[] = ['never', 'when-untrusted', 'always']
/** The longest that a timer of this platform waits. */
const TIMEOUT_MOST = 2_147_483_647

/**
 * A tool. Every option is checked, and a name that is none is refused: a misspelled `approval` would be a tool that never asks.
 *
 * @throws ToolturnError `option_invalid`, `replay_policy_missing`
 */
export function tool<const S extends SchemaInput>(given: ToolOptions<S>): Tool {
  const options = { ...readKnown('options', given, NAMES) }
  const { run, reconcile, approval } = options
  const name = readText('name', options.name, NAME_CHARACTERS)
  readFunction('run', run)
  if (reconcile !== undefined) readFunction('reconcile', reconcile)
  if (options.replayPolicy === undefined)
    throw new ToolturnError('replay_policy_missing', `The tool ${JSON.stringify(name)} does not say whether its calls may run again.`, {
      tool: name,
    })
  if (!POLICIES.includes(options.replayPolicy)) refuse('replayPolicy', POLICIES.join(', '))
  const common = describe(options)
  return {
    descriptor: { ...common, version: descriptorVersion(common) },
    run: run as Tool['run'],
    ...(reconcile === undefined ? {} : { reconcile: reconcile as NonNullable<Tool['reconcile']> }),
    ...(typeof approval === 'function' ? { approvalOf: approval as NonNullable<Tool['approvalOf']> } : {}),
  }
}

function describe<S extends SchemaInput>(options: ToolOptions<S>): Omit<ToolDescriptor, 'version' | 'quarantined'> {
  const { name, description, input, output, replayPolicy, contentTrust = 'untrusted', approval, scopes = [] } = options
  const { timeoutMs = DEFAULT_LIMITS.toolTimeoutMs, tries = 1, recordBytes } = options
  if (typeof description !== 'string') refuse('description', 'a text')
  if (!TRUSTS.includes(contentTrust)) refuse('contentTrust', TRUSTS.join(', '))
  if (approval !== undefined && typeof approval !== 'function' && !RULES.includes(approval))
    refuse('approval', `${RULES.join(', ')}, or a function`)
  if (!isWhole(timeoutMs, 1, TIMEOUT_MOST)) refuse('timeoutMs', `a whole number of milliseconds, 1 to ${TIMEOUT_MOST}`)
  if (!isWhole(tries, 1)) refuse('tries', 'a whole number, from 1')
  if (recordBytes !== undefined && !isWhole(recordBytes, 0)) refuse('recordBytes', 'a whole number of bytes')
  return {
    name,
    description,
    inputSchema: jsonSchemaOf(input, 'input'),
    ...(output === undefined ? {} : { outputSchema: jsonSchemaOf(output, 'output') }),
    replayPolicy,
    contentTrust,
    approval: typeof approval === 'function' ? 'by-arguments' : (approval ?? usualApproval(replayPolicy)),
    scopes: readList('scopes', scopes).map((scope, index) => readText(`scopes[${index}]`, scope)),
    timeoutMs,
    tries,
    ...(recordBytes === undefined ? {} : { recordBytes }),
  }
}

/** The rule of a tool that gives none. */
export function usualApproval(replayPolicy: ReplayPolicy): ApprovalRule {
  return replayPolicy === 'read-only' ? 'never' : 'when-untrusted'
}

function isWhole(value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most
}

/** A JSON Schema as plain data: what is frozen into a turn must not change under it. */
function jsonSchemaOf(schema: SchemaInput, side: 'input' | 'output'): JsonObject | boolean {
  if (typeof schema === 'boolean') return schema
  if (schema === null || (typeof schema !== 'object' && typeof schema !== 'function')) refuse(side, 'a JSON Schema or a Standard Schema')
  const plain = written(schema, side)
  return typeof plain === 'boolean' || isJsonObject(plain) ? plain : refuse(side, 'a JSON Schema: an object, true or false')
}

/** Neither a schema in a circle nor a Standard Schema that has no JSON form can be written. */
function written(schema: Exclude<SchemaInput, boolean>, side: 'input' | 'output'): unknown {
  try {
    return JSON.parse(JSON.stringify(isStandard(schema) ? standardSchemaOf(schema, side) : schema))
  } catch (thrown) {
    if (thrown instanceof ToolturnError) throw thrown
    return refuse(side, 'a schema that can be written as JSON')
  }
}

function isStandard(schema: object): schema is StandardSchemaV1 & StandardJSONSchemaV1 {
  return '~standard' in schema
}

/** How schemas of these libraries come by a JSON form, which they do not have by themselves. */
const JSON_FORM_OF: Readonly<Record<string, string>> = {
  valibot: 'a schema with a JSON form: wrap it as toStandardJsonSchema(schema), from @valibot/to-json-schema',
  zod: 'a schema of zod 4.2 or newer: older ones cannot write themselves as JSON Schema',
}

/** Schemas are written for what goes in: what a transform makes of it is not what the model sends. */
function standardSchemaOf(schema: StandardSchemaV1 & StandardJSONSchemaV1, side: 'input' | 'output'): unknown {
  const { jsonSchema, vendor } = schema['~standard']
  if (jsonSchema === undefined)
    refuse(side, JSON_FORM_OF[vendor] ?? 'a Standard Schema that can write itself as JSON Schema, or a JSON Schema')
  return side === 'input' ? jsonSchema.input({ target: 'draft-2020-12' }) : jsonSchema.output({ target: 'draft-2020-12' })
}
