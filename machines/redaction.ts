// What of a model's words may be recorded and sent back to it: its text as it stands, or its redacted form.

import { readArguments } from './arguments/read.ts'
import { canonicalJson, isJsonObject, type Json, type JsonObject } from './json.ts'
import type { Redactor } from './ports/world.ts'
import { cleanJson } from './results/clean.ts'
import { redactMirrors } from './results/mirrors.ts'
import { declaresSecrets } from './schemas/secrets.ts'
import { cutText } from './text.ts'
import type { ContentBlock, ToolDescriptor, ToolResult } from './tool.ts'

/** Longest written name that is kept. Names of a catalog are shorter. */
const NAME_CHARACTERS = 256

/** A name or an id that somebody else chose. */
export function redactName(redactor: Redactor, name: string): string {
  return redactBounded(redactor, name, NAME_CHARACTERS)
}

/** Redacted first and cut then: a cut through a secret would leave a half that is not known for one. */
export function redactBounded(redactor: Redactor, text: string, characters: number): string {
  return cutText(redactor.text(text).text, characters)
}

/** A line that a tool logs. @throws ValueTooLarge */
export function redactLine(
  redactor: Redactor,
  message: string,
  fields: JsonObject = {},
): { readonly message: string; readonly fields: JsonObject } {
  const masked = redactor.value(cleanJson(fields) ?? {}).value
  return { message: redactor.text(message).text, fields: isJsonObject(masked) ? masked : {} }
}

/** What is kept where a text cannot be read, so no secret field in it can be found. */
const UNREADABLE = '"[redacted: unreadable arguments of a tool with secret fields]"'

/**
 * The argument text as the transcript keeps it: byte for byte where redaction changes nothing.
 *
 * Text that cannot be read as JSON, for a tool that declares secret fields, is not kept at all.
 */
export function redactCallText(
  redactor: Redactor,
  descriptor: ToolDescriptor | undefined,
  text: string | null,
): { readonly text: string; readonly masked: boolean } {
  if (text === null || text.trim() === '') return { text: text ?? '', masked: false }
  const read = readArguments(text)
  if (read.ok) {
    const { value, changed } = redactor.value(read.value, descriptor?.inputSchema)
    return changed ? { text: canonicalJson(value), masked: true } : { text, masked: false }
  }
  if (descriptor !== undefined && declaresSecrets(descriptor.inputSchema)) return { text: UNREADABLE, masked: true }
  const plain = redactor.text(text)
  return { text: plain.text, masked: plain.changed }
}

/**
 * What a provider wants back as it gave it: signed, or bound to its answer, so it cannot be masked. Where a text in it holds a secret
 * it is left out, and the provider decides what it does without it. Names of its fields say nothing: they are the provider's own.
 */
export function redactUnmaskable<T extends Json | undefined>(redactor: Redactor, value: T): T | undefined {
  return value === undefined || textsIn(value).some(text => redactor.text(text).changed) ? undefined : value
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return isJsonObject(value) ? Object.entries(value).flatMap(([name, field]) => [name, ...textsIn(field)]) : []
}

/** A result as it may be recorded and shown. */
export function redactResult(redactor: Redactor, descriptor: ToolDescriptor, result: ToolResult): ToolResult {
  const content = result.content.map(block => redactor.value(block).value as ContentBlock)
  const structured = result.structuredContent
  const redacted = {
    ...result,
    content,
    ...(structured === undefined ? {} : { structuredContent: redactor.value(structured, descriptor.outputSchema).value }),
  }
  return redactMirrors(result, redacted)
}
