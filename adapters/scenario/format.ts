// A scenario as a file says it, after scenario.schema.json has let it through.

import type { EventType } from '../../machines/events.ts'
import type { Outcome } from '../../machines/ids.ts'
import type { Json, JsonObject } from '../../machines/json.ts'
import type { TurnStateName } from '../../machines/ports/rows.ts'
import type { Via } from '../../machines/principal.ts'
import type { InputEntry, PrincipalInput, SpawnOptions } from '../../machines/runtime/api.ts'
import type { ProviderTool } from '../../machines/events/turn.ts'
import type { ScriptedRound } from '../models/script.ts'
import type { ScriptedTool } from '../tools/scripted.ts'

export type Scenario = {
  readonly name: string
  readonly tools: { readonly [name: string]: ScriptedTool }
  readonly ask?: string
  readonly hostKey?: boolean
  readonly turn: {
    readonly principal: PrincipalInput | null
    readonly input: readonly InputEntry[]
    readonly limits?: SpawnOptions['limits']
    readonly output?: { readonly schema: JsonObject | boolean; readonly mode: 'enforced' | 'prompted' }
    readonly providerTools?: readonly ProviderTool[]
    readonly approvers?: SpawnOptions['approvers']
  }
  readonly policy?: {
    readonly deny?: readonly string[]
    readonly changes?: readonly { readonly after: EventType; readonly deny: readonly string[] }[]
  }
  readonly model: {
    readonly capabilities?: { readonly toolCalls?: 'native' | 'none' }
    readonly rounds: readonly ScriptedRound[]
    readonly whenExhausted?: 'error' | 'repeat-last'
  }
  readonly people?: readonly Person[]
  readonly faults?: readonly Fault[]
  readonly then?: readonly Step[]
  readonly expect: Expectation
}

/** Something that somebody does, once, at the first event that it waits for. */
export type Person = {
  readonly on: EventType
  /** `#<ordinal>`, or the id that the provider gave. */
  readonly call?: string
  readonly as: PrincipalInput
  readonly via?: Via
  readonly times?: number
  readonly afterMs?: number
  readonly advanceMs?: number
} & Deed

export type Deed =
  | { readonly do: 'approve' | 'deny' | 'cancel' }
  | { readonly do: 'edit'; readonly arguments: Json }
  | { readonly do: 'answer'; readonly answer: Json }
  | { readonly do: 'raw'; readonly decision: Json }

/** A fault at an append: `nth` counts the tries to append such an event, over all processes. */
export type AppendFault =
  | { readonly kill: 'before' | 'after'; readonly event: EventType; readonly nth?: number }
  | { readonly appendFails: EventType; readonly nth?: number; readonly times?: number }

export type DeleteFault = { readonly deleteRecord: EventType; readonly nth?: number; readonly before: 'replay' }
export type Fault = AppendFault | { readonly bus: 'down' } | DeleteFault

export type Step = { readonly do: 'replay' | 'retry' | 'verify' }

export type StepExpectation = {
  readonly state?: TurnStateName
  readonly code?: string | null
  readonly executions?: number
  readonly modelCalls?: number
}

export type RequestExpectation = {
  readonly round: number
  readonly resultsFor?: readonly string[]
  readonly contains?: readonly string[]
  readonly lacks?: readonly string[]
}

/** Only what stands here is compared. */
export type Expectation = {
  readonly state?: TurnStateName
  readonly code?: string | null
  readonly outcomes?: { readonly [call: string]: Outcome }
  readonly executions?: { readonly [tool: string]: number }
  readonly seen?: { readonly [tool: string]: readonly JsonObject[] }
  readonly modelCalls?: number
  readonly events?: readonly EventType[]
  readonly includes?: readonly { readonly type: EventType; readonly data?: JsonObject }[]
  readonly excludes?: readonly EventType[]
  readonly requests?: readonly RequestExpectation[]
  readonly absent?: readonly string[]
  readonly resolutions?: readonly string[]
  readonly then?: readonly StepExpectation[]
}
