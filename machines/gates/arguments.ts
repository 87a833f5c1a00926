// Gate 3: the arguments. Strict reading of the raw text, then the tool's schema; defaults once; one prepared value, frozen.

import { readArguments } from '../arguments/read.ts'
import { argumentsDigest } from '../digest.ts'
import { quarantinedText, schemaProblemText, unreadableArgumentsText } from '../repair.ts'
import { deepFreeze, isJsonObject, type JsonObject } from '../json.ts'
import { compiledSchema } from '../schemas/cache.ts'
import type { ToolDescriptor } from '../tool.ts'
import { invalid, needed, pass, type Gate, type Verdict } from './gate.ts'

export const argumentsGate: Gate = {
  name: 'arguments',
  judge(subject, view) {
    const read = readArguments(subject.text)
    if (!read.ok) return invalid(`json-${read.problem.kind}`, unreadableArgumentsText(read.problem.text))
    const descriptor = needed(subject, 'descriptor')
    const checked = prepareArguments(descriptor, read.value)
    if (!checked.ok) return checked.stop
    const { prepared } = checked
    return pass({ ...subject, prepared, argumentsDigest: argumentsDigest(view.host.turnKey, descriptor.name, prepared) })
  },
}

/** Arguments that fit the tool, with the defaults its schema declares; or the verdict that says what does not fit. */
export function prepareArguments(
  descriptor: ToolDescriptor,
  value: JsonObject,
): { readonly ok: true; readonly prepared: JsonObject } | { readonly ok: false; readonly stop: Verdict } {
  const schema = compiledSchema(descriptor.inputSchema)
  if (!schema.ok) return { ok: false, stop: invalid('quarantined', quarantinedText()) }
  const validated = schema.validate(value)
  if (!validated.ok) return { ok: false, stop: invalid('schema', schemaProblemText(validated.problems)) }
  if (!isJsonObject(validated.value)) return { ok: false, stop: invalid('schema', schemaProblemText([])) }
  return { ok: true, prepared: deepFreeze(validated.value) }
}
