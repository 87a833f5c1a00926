// Tools of the AI SDK: `tool({ inputSchema, execute })`, and those that it makes of what an MCP client lists.

import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { refuse } from '../../machines/runtime/door.ts'
import type { CallContext, Tool } from '../../machines/tool.ts'
import type { SchemaInput } from '../tool.ts'
import { shownResult, valueResult } from './ai-sdk-output.ts'
import { ownCopy, readWrapOptions, wrap, type WrapOptions } from './wrapped.ts'

/** What is looked at of such a tool; its functions are called with what the AI SDK would call them with. */
export type AiSdkTool = {
  readonly type?: 'function' | 'dynamic' | 'provider' | undefined
  readonly description?: string | ((options: never) => string) | undefined
  readonly inputSchema: unknown
  readonly outputSchema?: unknown
  readonly execute?: ((input: never, options: never) => unknown) | undefined
  readonly needsApproval?: boolean | ((input: never, options: never) => boolean | PromiseLike<boolean>) | undefined
  readonly toModelOutput?: ((options: never) => unknown) | undefined
}

/**
 * A tool of the AI SDK, run by this runtime: `fromAiSdk('weather', weather, { replayPolicy: 'read-only' })`. Its own schema reads the
 * arguments before `execute` sees them; `toolCallId` is the invocation id, the same on every re-run; `messages` is empty. Words of a tool
 * that was defined at run time, by an MCP server for one, are untrusted (C1).
 *
 * @param name its key in the tool set
 * @throws ToolturnError `option_invalid` for one that is not run here, or whose schema has no JSON form; `replay_policy_missing`
 */
export function fromAiSdk(name: string, given: AiSdkTool, options: WrapOptions): Tool {
  const wrapping = readWrapOptions(options)
  const { description = '', inputSchema, outputSchema, needsApproval = false, toModelOutput } = readTool(given)
  const execute = given.execute as (input: unknown, options: object) => unknown
  const input = inputReading(inputSchema)
  const output = toModelOutput === undefined ? outputReading(outputSchema) : undefined
  const context = wrapping.context ?? {}
  const made = wrap(
    {
      name,
      description: wrapping.description ?? (typeof description === 'string' ? description : refuseFunction()),
      input: input.json,
      ...(output === undefined ? {} : { output: output.json }),
      needsApproval:
        typeof needsApproval === 'function'
          ? async args => needsApproval((await input.read(ownCopy(args))) as never, { toolCallId: '', messages: [], context } as never)
          : needsApproval,
      run: async (args, call) => {
        const read = await input.read(ownCopy(args))
        const returned = await lastOf(execute(read, executionOptions(call, context)))
        if (output !== undefined) return valueResult(await output.read(returned))
        return toModelOutput === undefined ? returned : shownResult(toModelOutput, { input: read, output: returned, ...idOf(call) })
      },
    },
    wrapping,
  )
  return given.type === 'dynamic' ? { ...made, descriptionTrust: 'untrusted' } : made
}

function refuseFunction(): never {
  return refuse('description', 'a text: the one of the tool is a function, and what a turn offers is frozen when it opens')
}

function readTool(given: AiSdkTool): AiSdkTool {
  if (typeof given !== 'object' || given === null) refuse('tool', 'a tool of the AI SDK: { description, inputSchema, execute }')
  if (given.type === 'provider')
    refuse(
      'tool',
      'a tool of your own; one that a provider runs is listed in `providerTools`, one that it only defines is written with tool()',
    )
  if (typeof given.execute !== 'function') refuse('tool.execute', 'a function: a tool without one is run by nobody here')
  return given
}

function executionOptions(call: CallContext, context: unknown): object {
  return { ...idOf(call), messages: [], abortSignal: call.signal, context }
}

/** The same on every re-run of a call, so that the tool may deduplicate by it (D1). */
function idOf({ invocationId }: CallContext): { readonly toolCallId: string } {
  return { toolCallId: invocationId }
}

/** Of an output that comes in versions the last one is what the tool returned. */
async function lastOf(returned: unknown): Promise<unknown> {
  const output = await returned
  if (typeof output !== 'object' || output === null || !(Symbol.asyncIterator in output)) return output
  let last: unknown
  for await (const version of output as AsyncIterable<unknown>) last = version
  return last
}

/** A schema in its JSON form, and what it makes of a value. */
type Reading = { readonly json: SchemaInput; readonly read: (value: unknown) => Promise<unknown> }

/** The AI SDK's own kind of schema. */
type OwnSchema = {
  readonly jsonSchema: unknown
  readonly validate?: ((value: unknown) => Validated | PromiseLike<Validated>) | undefined
}
type Validated = { readonly success: true; readonly value: unknown } | { readonly success: false; readonly error: Error }

const OWN_MARK = Symbol.for('vercel.ai.schema')
const NO_ARGUMENTS = { type: 'object', properties: {}, additionalProperties: false } as const

function inputReading(given: unknown): Reading {
  if (given === undefined) return { json: NO_ARGUMENTS, read: async args => args }
  if (isStandard(given)) return standardReading(given)
  if (isOwn(given)) return ownReading(given)
  if (typeof given === 'function') return inputReading((given as () => unknown)())
  return refuse('tool.inputSchema', 'a Standard Schema, or what jsonSchema() of the AI SDK makes')
}

/** Kept where it can be written as JSON Schema at once. */
function outputReading(given: unknown): Reading | undefined {
  if (isOwn(given)) return isObject(given.jsonSchema) && !('then' in given.jsonSchema) ? ownReading(given) : undefined
  return isStandard(given) && hasOutputForm(given) ? standardReading(given) : undefined
}

function hasOutputForm(schema: StandardSchema): boolean {
  try {
    return schema['~standard'].jsonSchema.output({ target: 'draft-2020-12' }) !== undefined
  } catch {
    // No JSON form, or none of what comes out of it.
    return false
  }
}

type StandardSchema = StandardSchemaV1 & StandardJSONSchemaV1

function isObject(value: unknown): value is object {
  return (typeof value === 'object' || typeof value === 'function') && value !== null
}

function isStandard(schema: unknown): schema is StandardSchema {
  return isObject(schema) && '~standard' in schema
}

function isOwn(schema: unknown): schema is OwnSchema {
  return isObject(schema) && OWN_MARK in schema
}

function standardReading(schema: StandardSchema): Reading {
  return {
    json: schema,
    read: async value => {
      const read = await schema['~standard'].validate(value)
      if (read.issues === undefined) return read.value
      throw new Error(`The schema of the tool refuses it: ${read.issues.map(issue => issue.message).join('; ')}`)
    },
  }
}

function ownReading({ jsonSchema, validate }: OwnSchema): Reading {
  if (isObject(jsonSchema) && 'then' in jsonSchema)
    refuse('tool.inputSchema', 'a JSON Schema that is there: one that is promised is awaited first, jsonSchema(await …)')
  return {
    json: jsonSchema as SchemaInput,
    read: async value => {
      const read = (await validate?.(value)) ?? ({ success: true, value } as const)
      if (read.success) return read.value
      throw read.error
    },
  }
}
