// An output schema that OpenAI holds: strictly where it can, else as what the answer should look like.

import { isJsonObject, type JsonObject } from '../../../machines/json.ts'
import { notSendable } from '../failure.ts'
import { isStrict } from '../strict.ts'

export type OutputSchema = { readonly name: string; readonly schema: { [key: string]: unknown }; readonly strict: boolean }

/** @throws ModelFailure for a schema of anything but an object: OpenAI takes no other */
export function outputSchema(schema: JsonObject | boolean): OutputSchema {
  if (!isJsonObject(schema) || schema['type'] !== 'object')
    throw notSendable(
      'OpenAI holds only output schemas whose `type` is `object`; with `enforcedOutput: false` the model is asked for others in words.',
    )
  return { name: 'output', schema, strict: isStrict(schema) }
}
