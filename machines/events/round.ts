// Payloads of round.* events: what the model was asked and what it said, settled once.

import Type, { type Static } from 'typebox'
import { AnyJson, closed, Count, Digest, FromOne, literals, Ordinal } from './shapes.ts'

/** How a round ended (gate `completion`). An unknown stop word is never `clean`. */
export const Completion = literals('clean', 'truncated', 'refused', 'paused')
export type Completion = Static<typeof Completion>

/** What the provider wants back with an item (a signature, an item id): kept and sent back byte-exact. */
const Extra = Type.Optional(AnyJson)

const TextItem = closed({ kind: literals('text'), text: Type.String(), extra: Extra })

/** A call as the transcript keeps it: the text as the model wrote it, or its redacted form. */
const CallItem = closed({
  kind: literals('call'),
  ordinal: Ordinal,
  /** Host id, unique in the turn; under it the result is paired (B3). */
  id: Type.String(),
  /** What the provider gave: correlation only, perhaps absent or repeated. */
  providerId: Type.Union([Type.String(), Type.Null()]),
  name: Type.String(),
  arguments: Type.String(),
  /** True: redaction changed the text. */
  masked: Type.Boolean(),
  extra: Extra,
})

/** A provider's own block (signed thinking and the like), kept and sent back byte-exact. */
const OpaqueItem = closed({ kind: literals('opaque'), value: AnyJson })

/** What the provider executed itself inside the round; without `result` it is not finished. Always untrusted (F3). */
const ProviderToolItem = closed({
  kind: literals('provider-tool'),
  name: Type.String(),
  id: Type.Optional(Type.String()),
  input: Type.Optional(AnyJson),
  result: Type.Optional(AnyJson),
  extra: Extra,
})

export const RoundItem = Type.Union([TextItem, CallItem, OpaqueItem, ProviderToolItem])
export type RoundItem = Static<typeof RoundItem>
export type RoundCall = Static<typeof CallItem>

export const Usage = closed({
  inputTokens: Type.Optional(Count),
  outputTokens: Type.Optional(Count),
  cachedTokens: Type.Optional(Count),
})
export type Usage = Static<typeof Usage>

/** The verdict over structured or prompted output (A2, A4). */
const OutputVerdict = Type.Union([
  closed({ valid: Type.Literal(true), value: AnyJson }),
  closed({ valid: Type.Literal(false), /** Host-written corrective text. */ text: Type.String() }),
])

/** Only where provider tools make the ask itself an effect (F5). */
export const RoundRequested = closed({ round: FromOne, request: Digest })

export const RoundRecorded = closed({
  /** Position in the attempt, from 1. */
  round: FromOne,
  /** Digest of the neutral request that was answered (D8). */
  request: Digest,
  completion: Completion,
  /** The provider's own stop word. */
  stop: Type.String(),
  channel: Type.Union([literals('tool', 'structured', 'prompted'), Type.Null()]),
  items: Type.Array(RoundItem),
  output: Type.Union([OutputVerdict, Type.Null()]),
  refusal: Type.Optional(Type.String()),
  usage: Type.Optional(Usage),
  /** What was odd and did not change the decision (B6). */
  anomalies: Type.Array(Type.String()),
})
export type RoundRecorded = Static<typeof RoundRecorded>

/** One try of several to get an answer. */
export const RoundFailed = closed({
  round: FromOne,
  try: FromOne,
  kind: literals('http', 'timeout', 'reset', 'protocol'),
  status: Type.Optional(Count),
  /** Milliseconds that are waited before the next try; 0 when there is none. */
  backoffMs: Count,
})
