// Tools that were written for another SDK, as tools of this runtime. Their executor becomes `run`: it is called by the runtime alone,
// and nothing that a model's adapter is given holds it (G7).

import type { JsonObject } from '../../machines/json.ts'
import { readKnown } from '../../machines/runtime/door.ts'
import type { ApprovalRule, CallContext, Tool } from '../../machines/tool.ts'
import { tool, usualApproval, type SchemaInput, type ToolOptions } from '../tool.ts'

/**
 * What the host says of a tool that it brings. No SDK asks whether a call may run again, so `replayPolicy` is asked for here (D3); the
 * others have the defaults of `tool()`, but for what the tool says itself.
 */
export type WrapOptions = Pick<
  ToolOptions<JsonObject>,
  'replayPolicy' | 'contentTrust' | 'approval' | 'scopes' | 'timeoutMs' | 'tries' | 'recordBytes' | 'reconcile'
> & {
  /** Default: the tool's own. */
  readonly description?: string
  /** What the tool's functions are given as their SDK's context; default an empty object. */
  readonly context?: unknown
}

const NAMES = [
  'replayPolicy',
  'contentTrust',
  'approval',
  'scopes',
  'timeoutMs',
  'tries',
  'recordBytes',
  'reconcile',
  'description',
  'context',
]

/** A tool of another SDK, read. */
export type Foreign = {
  readonly name: string
  readonly description: string
  readonly input: SchemaInput
  readonly output?: SchemaInput
  readonly timeoutMs?: number
  /** Whether a person must agree: for all calls, or asked for each. */
  readonly needsApproval: boolean | ((args: JsonObject) => boolean | PromiseLike<boolean>)
  readonly run: (args: JsonObject, call: CallContext) => unknown
}

export function readWrapOptions(given: WrapOptions): WrapOptions {
  return readKnown('options', given, NAMES)
}

/** @throws ToolturnError `option_invalid`, `replay_policy_missing` */
export function wrap({ needsApproval, ...foreign }: Foreign, options: WrapOptions): Tool {
  const { description: _, context: __, ...given } = options
  const approval = approvalOf(needsApproval, options)
  // Whatever the schema is made with, `run` is given plain arguments here.
  return tool({ ...foreign, ...(approval === undefined ? {} : { approval }), ...given } as ToolOptions<JsonObject>)
}

/** A tool that asks its own function is asked before each call; what it does not want held falls under the usual rule. */
function approvalOf(needs: Foreign['needsApproval'], { replayPolicy }: WrapOptions): ToolOptions<JsonObject>['approval'] {
  if (typeof needs !== 'function') return needs ? 'always' : undefined
  return async (args): Promise<ApprovalRule> => ((await needs(args)) ? 'always' : usualApproval(replayPolicy))
}

/** Prepared arguments are frozen; functions of other SDKs may take theirs to be their own. */
export function ownCopy(args: JsonObject): JsonObject {
  return structuredClone(args)
}
