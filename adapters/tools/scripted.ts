// Tools that do what they were told to do: the k-th execution, over all processes, behaves as the k-th entry says.

import type { JsonObject } from '../../machines/json.ts'
import type { ApprovalRule, CallContext, ContentTrust, ReplayPolicy, Tool } from '../../machines/tool.ts'
import { systemClock } from '../clock.ts'
import { tool, type JsonSchema } from '../tool.ts'

/** What one execution does, after `delayMs`: it does not heed the abort signal. */
export type Behaviour = { readonly delayMs?: number } & (
  | { readonly returns: JsonObject }
  | { readonly value: unknown }
  | { readonly undefined: true }
  | { readonly throws: string }
  | { readonly never: true }
)

export type ScriptedTool = {
  readonly description?: string
  readonly inputSchema: JsonSchema
  readonly outputSchema?: JsonSchema
  readonly replayPolicy: ReplayPolicy
  readonly contentTrust?: ContentTrust
  readonly approval?: ApprovalRule
  readonly scopes?: readonly string[]
  readonly timeoutMs?: number
  /** Further tries after a failed one. */
  readonly retries?: number
  /** The last entry repeats. May be absent where the tool is never run. */
  readonly behaviour?: readonly Behaviour[]
}

/** Keeps executions where they outlive a process. */
export type ExecutionRecord = {
  /** Written before anything is done. @returns which execution of this tool it is, from 1, over all processes */
  readonly began: (name: string, args: JsonObject, call: CallContext) => number
  /** Told when one begins that will come to an end. @returns to be called at that end */
  readonly begins: () => () => void
}

export function scriptedTool(name: string, script: ScriptedTool, record: ExecutionRecord): Tool {
  const { description = '', inputSchema, outputSchema, retries = 0, behaviour = [], ...rest } = script
  return tool({
    ...rest,
    name,
    description,
    input: inputSchema,
    ...(outputSchema === undefined ? {} : { output: outputSchema }),
    tries: retries + 1,
    run: async (args: JsonObject, call: CallContext) => {
      const execution = record.began(name, args, call)
      const entry = behaviour[Math.min(execution, behaviour.length) - 1]
      if (entry !== undefined && 'never' in entry) return new Promise<never>(() => undefined)
      const ends = record.begins()
      try {
        return await behave(name, entry)
      } finally {
        ends()
      }
    },
  })
}

async function behave(name: string, entry: Exclude<Behaviour, { never: true }> | undefined): Promise<unknown> {
  if (entry === undefined) throw new Error(`The scripted tool ${JSON.stringify(name)} was not told how to behave.`)
  if (entry.delayMs !== undefined) await systemClock.sleep(entry.delayMs)
  if ('throws' in entry) throw new Error(entry.throws)
  if ('returns' in entry) return entry.returns
  return 'value' in entry ? entry.value : undefined
}
