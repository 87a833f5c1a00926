// Shapes that several event payloads share.

import Type, { type Static } from 'typebox'
import type { Json, JsonObject } from '../json.ts'
import type { ToolResult } from '../tool.ts'

/** A closed object: a payload with a key that this version does not know is not read as if the key were not there. */
export const closed = <T extends Parameters<typeof Type.Object>[0]>(properties: T) =>
  Type.Object(properties, { additionalProperties: false })

export const literals = <const T extends readonly string[]>(...words: T) => Type.Unsafe<T[number]>({ type: 'string', enum: words })

export const AnyJson = Type.Unsafe<Json>({})
export const AnyObject = Type.Unsafe<JsonObject>({ type: 'object' })
export const Ordinal = Type.Integer({ minimum: 1 })
export const Count = Type.Integer({ minimum: 0 })
export const FromOne = Type.Integer({ minimum: 1 })
/** ISO 8601 in UTC with milliseconds. */
export const Time = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' })
export const Digest = Type.String({ minLength: 1, maxLength: 64 })

/** The gates of admission, in their order (section 3). */
export const GATES = ['completion', 'name', 'arguments', 'trust', 'authorization', 'limits', 'redaction'] as const
export type Gate = (typeof GATES)[number]
export const GateName = literals(...GATES)
/** The gates that a call had passed before the one that decided, in order (B1). */
export const Trail = Type.Array(GateName)

const ResultShape = Type.Unsafe<ToolResult>({
  type: 'object',
  required: ['content'],
  additionalProperties: false,
  properties: {
    content: { type: 'array', minItems: 1, items: { type: 'object', required: ['type'], properties: { type: { type: 'string' } } } },
    structuredContent: {},
    isError: { type: 'boolean' },
  },
})

/** A result as it is recorded: redacted, bounded, and marked where it is not whole (D9). */
export const Recorded = {
  result: ResultShape,
  /** SHA-256 of the canonical text of the whole redacted result, hexadecimal. */
  digest: Digest,
  /** Bytes of that text. */
  bytes: Count,
  /** True: `result` is the short form that the model was shown, and no record on replay or recovery. */
  truncated: Type.Boolean(),
  /** Where the whole result is kept, when a blob store took it. */
  blob: Type.Optional(Type.String()),
}
const RecordedObject = closed(Recorded)
export type RecordedResult = Static<typeof RecordedObject>
