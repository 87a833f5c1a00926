// `toolturn/openai-agents`: function tools of the OpenAI Agents SDK, run by this runtime.

import { parseJson } from '../../machines/json-text.ts'
import type { JsonObject } from '../../machines/json.ts'
import { readFunction, refuse } from '../../machines/runtime/door.ts'
import type { Tool } from '../../machines/tool.ts'
import { readWrapOptions, wrap, type WrapOptions, ownCopy } from './wrapped.ts'

/** What is looked at of such a tool, as `tool()` of the SDK makes it. */
export type AgentsTool = {
  readonly type: 'function'
  readonly name: string
  readonly description: string
  readonly parameters: object
  readonly outputSchema?: object | undefined
  readonly invoke: (runContext: never, input: string, details?: never) => Promise<unknown>
  readonly needsApproval: (runContext: never, input: never, callId?: string) => Promise<boolean>
  readonly timeoutMs?: number | undefined
  readonly inputGuardrails?: readonly unknown[] | undefined
  readonly outputGuardrails?: readonly unknown[] | undefined
}

/**
 * A function tool of the OpenAI Agents SDK: `fromOpenAiAgents(refund, { replayPolicy: 'at-most-once' })`. Its `needsApproval` is asked
 * before each call, unless `approval` is given; the call id is the invocation id, the same on every re-run. `isEnabled` is not asked:
 * a turn offers what it names.
 *
 * @throws ToolturnError `option_invalid` for a hosted tool, and for one with guardrails; `replay_policy_missing`
 */
export function fromOpenAiAgents(given: AgentsTool, options: WrapOptions): Tool {
  const wrapping = readWrapOptions(options)
  const { name, description, parameters, outputSchema, timeoutMs, needsApproval } = readTool(given)
  const runContext = { context: wrapping.context ?? {} } as never
  return wrap(
    {
      name,
      description: wrapping.description ?? description,
      input: parameters as JsonObject,
      ...(outputSchema === undefined ? {} : { output: outputSchema as JsonObject }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      needsApproval: args => needsApproval(runContext, ownCopy(args) as never),
      run: async (args, { invocationId, signal }) => {
        const text = JSON.stringify(args)
        const toolCall = { type: 'function_call', callId: invocationId, name, arguments: text }
        return resultOf(await given.invoke(runContext, text, { signal, toolCall } as never), outputSchema !== undefined)
      },
    },
    wrapping,
  )
}

function readTool(given: AgentsTool): AgentsTool {
  if (typeof given !== 'object' || given === null || given.type !== 'function')
    refuse('tool', 'a function tool of the OpenAI Agents SDK; hosted tools are listed in `providerTools`, others written with tool()')
  readFunction('tool.invoke', given.invoke)
  readFunction('tool.needsApproval', given.needsApproval)
  const { inputGuardrails = [], outputGuardrails = [] } = given
  if (inputGuardrails.length > 0 || outputGuardrails.length > 0)
    refuse('tool', "a tool without guardrails: only that SDK's runner runs them. Put what they check into the policy, or the tool itself")
  return given
}

/** What the SDK puts in place of an error, unless the tool has an `errorFunction` of its own. */
const HIDDEN_ERROR = 'An error occurred while running the tool. Please try again.'

function resultOf(returned: unknown, hasSchema: boolean): unknown {
  if (returned === HIDDEN_ERROR) throw new Error('The tool does not say what went wrong.')
  if (hasSchema) return { structuredContent: typeof returned === 'string' ? valueOf(returned) : returned }
  const parts = Array.isArray(returned) ? (returned as readonly unknown[]) : [returned]
  return parts.length > 0 && parts.every(isPart) ? { content: parts.map(blockOf) } : returned
}

/** With an output schema, a text is the JSON of the value. */
function valueOf(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    // No JSON: it is held against the schema as the text that it is.
    return text
  }
}

type Part = { readonly type: 'text' | 'image' | 'file'; readonly [field: string]: unknown }

/** The parts of an output that this SDK knows. */
function isPart(value: unknown): value is Part {
  if (typeof value !== 'object' || value === null) return false
  const { type, text, image, file } = value as Part
  if (type === 'text') return typeof text === 'string'
  return (type === 'image' && image !== undefined) || (type === 'file' && file !== undefined)
}

function blockOf(part: Part): object {
  if (part.type === 'text') return { type: 'text', text: part['text'] }
  const { data, mediaType } = fieldsOf(part[part.type])
  const bytes = data instanceof Uint8Array ? Buffer.from(data).toString('base64') : data
  if (typeof bytes !== 'string' || typeof mediaType !== 'string') return { type: 'text', text: JSON.stringify(part) }
  if (part.type === 'image') return { type: 'image', data: bytes, mimeType: mediaType }
  return { type: 'resource', resource: { uri: 'urn:tool:output', mimeType: mediaType, blob: bytes } }
}

function fieldsOf(value: unknown): { readonly [field: string]: unknown } {
  return typeof value === 'object' && value !== null ? (value as { readonly [field: string]: unknown }) : {}
}
