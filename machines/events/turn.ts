// Payloads of turn.* and attempt.* events: how a turn opens, starts over and ends.

import Type, { type Static } from 'typebox'
import { ERROR_PAGES, type ErrorCode } from '../errors.ts'
import { DEFAULT_LIMITS, type LimitName, type Limits } from '../limits.ts'
import { Approver, Principal, Via } from '../principal.ts'
import { ContentTrust, ReplayPolicy, ToolDescriptor } from '../tool.ts'
import { AnyJson, type AnyObject, closed, Count, Digest, FromOne, literals, Ordinal } from './shapes.ts'

/** One run input. History that a client sends is data, in whatever voice it speaks (C10). */
export const Input = closed({
  role: literals('system', 'user', 'assistant'),
  text: Type.String(),
  contentTrust: ContentTrust,
})
export type Input = Static<typeof Input>

/** A row of the effect-seam manifest: what the provider may execute inside a round (F1). */
export const ProviderTool = closed({ name: Type.String({ minLength: 1 }), replayPolicy: ReplayPolicy })
export type ProviderTool = Static<typeof ProviderTool>

/** The output that was asked for. `enforced`: the provider holds the schema; `prompted`: it is asked for in words (A1). */
export const OutputRequest = closed({
  schema: Type.Unsafe<boolean | Static<typeof AnyObject>>({ type: ['object', 'boolean'] }),
  mode: literals('enforced', 'prompted'),
})
export type OutputRequest = Static<typeof OutputRequest>

const limitNames = Object.keys(DEFAULT_LIMITS)
const LimitsShape = Type.Unsafe<Limits>({
  type: 'object',
  required: limitNames,
  additionalProperties: false,
  properties: Object.fromEntries(limitNames.map(name => [name, { type: 'integer', minimum: 0 }])),
})

export const TurnOpened = closed({
  /** Name of the runtime whose workers drive this turn. */
  runtime: Type.String({ minLength: 1 }),
  principal: Type.Union([Principal, Type.Null()]),
  system: Type.Optional(Type.String()),
  input: Type.Array(Input),
  /** The bit that every attempt starts with: the minimum over system prompt, inputs, followed turn, tool descriptions (C1). */
  contentTrust: ContentTrust,
  /** The frozen catalog (G2), in the order the model is shown it. */
  catalog: Type.Array(ToolDescriptor),
  catalogDigest: Digest,
  /** Name of the ask tool in the catalog, where there is one (E1). */
  ask: Type.Union([Type.String(), Type.Null()]),
  limits: LimitsShape,
  output: Type.Union([OutputRequest, Type.Null()]),
  providerTools: Type.Array(ProviderTool),
  approvers: Type.Array(Approver),
  labels: Type.Unsafe<{ readonly [name: string]: string }>({ type: 'object', additionalProperties: { type: 'string' } }),
  /** Idempotency key of the spawn, where one was given. */
  key: Type.Union([Type.String(), Type.Null()]),
  /** The turn whose transcript and content trust were the first input. */
  follows: Type.Union([Type.String(), Type.Null()]),
  /** What was copied from the followed turn, in its neutral form. */
  history: Type.Array(AnyJson),
  /** The turn and version this one was forked from (D13). */
  fork: Type.Union([closed({ turnId: Type.String(), version: FromOne }), Type.Null()]),
})
export type TurnOpened = Static<typeof TurnOpened>

/** Attempts 2, 3, …: nothing of the earlier ones is served to it (D7). */
export const AttemptStarted = closed({ attempt: Type.Integer({ minimum: 2 }), despiteDoubt: Type.Boolean() })

export const TurnCancelling = closed({ by: Principal, via: Via })

export const TurnCompleted = closed({
  output: closed({
    channel: Type.Union([literals('structured', 'prompted'), Type.Null()]),
    text: Type.String(),
    /** The validated value, where output was asked for. */
    value: Type.Optional(AnyJson),
  }),
})
export type TurnOutput = Static<typeof TurnCompleted>['output']

export const TurnRefused = closed({})

export const TurnExhausted = closed({ limit: Type.Unsafe<LimitName>({ type: 'string', enum: limitNames }) })

export const TurnCancelled = closed({})

export const TurnFailed = closed({
  code: Type.Unsafe<ErrorCode>({ type: 'string', enum: Object.keys(ERROR_PAGES) }),
  /** Host-written; holds nothing that a model, a tool or a person wrote. */
  message: Type.String(),
  /** The call that the failure is about, where it is about one. */
  ordinal: Type.Optional(Ordinal),
  status: Type.Optional(Count),
})
