// Reading what a server says: a field is what its type says, or it is not there. Servers that speak like OpenAI leave out much.

import { isJsonObject, type Json, type JsonObject } from '../../../machines/json.ts'
import type { Usage } from '../../../machines/events/round.ts'

/** A text, or nothing: an empty one says nothing either. */
export function textIn(from: JsonObject, field: string): string | undefined {
  const value = from[field]
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function objectIn(from: JsonObject, field: string): JsonObject | undefined {
  const value = from[field]
  return isJsonObject(value) ? value : undefined
}

/** The members of a list; none where there is no list. */
export function listIn(from: JsonObject, field: string): readonly Json[] {
  const value = from[field]
  return Array.isArray(value) ? (value as readonly Json[]) : []
}

/** An object without some of its fields, and without those that say nothing. */
export function restOf(from: JsonObject, taken: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(from).filter(([field, value]) => !taken.has(field) && !saysNothing(value)))
}

function saysNothing(value: Json): boolean {
  return value === null || (Array.isArray(value) && value.length === 0)
}

/** Whether a text is the JSON of an object, as others would read it. */
export function isObjectText(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text))
  } catch {
    return false
  }
}

/** Where each API counts its tokens. */
export type UsageFields = { readonly input: string; readonly output: string; readonly inputDetails: string }

export function usageOf(response: JsonObject, { input, output, inputDetails }: UsageFields): { readonly usage?: Usage } {
  const said = objectIn(response, 'usage') ?? {}
  const counts = {
    inputTokens: countOf(said[input]),
    outputTokens: countOf(said[output]),
    cachedTokens: countOf(objectIn(said, inputDetails)?.['cached_tokens']),
  }
  const usage = Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined))
  return Object.keys(usage).length === 0 ? {} : { usage }
}

function countOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}
