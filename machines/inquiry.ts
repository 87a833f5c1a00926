// What a running tool wants to know of the acting person before it does what it was called for: a form, and a state that it is given
// back byte for byte with the answers. The call waits as any held one, and goes on as a further dispatch.

import { canonicalJson, isJsonObject, type Json, type JsonObject } from './json.ts'
import type { Redactor } from './ports/world.ts'
import { actingPerson } from './principal.ts'
import { cleanJson } from './results/clean.ts'
import { compiledSchema } from './schemas/cache.ts'
import { isMiss, type CallState, type TurnState } from './state.ts'

/** One form: what the person is told, and the schema of the object that answers it. */
export type InquiryForm = { readonly message: string; readonly schema: JsonObject }

/** Forms by the tool's own names for them. */
export type Inquiry = { readonly forms: { readonly [name: string]: InquiryForm }; readonly state: string | null }

/** What a tool is given back. */
export type Inquired = { readonly answers: { readonly [name: string]: Json }; readonly state: string | null }

const INQUIRY = Symbol('inquiry')

/** What `run` returns in place of a result. Only while `call.mayInquire`; else it is an error result. */
export function inquire(inquiry: Inquiry): unknown {
  return { [INQUIRY]: inquiry }
}

/** The inquiry that a returned value stands for; null for any other value. */
export function inquiryIn(returned: unknown): Inquiry | null {
  return typeof returned === 'object' && returned !== null && INQUIRY in returned ? (returned[INQUIRY] as Inquiry) : null
}

/** True while the tool of a call may ask the acting person. Together with asks it is bounded by `limits.clarifications` (E1). */
export function mayInquire({ opened, asks }: TurnState, call: CallState): boolean {
  const { clarifications, dispatches } = opened.limits
  if (actingPerson(opened.principal) === null || isMiss(call)) return false
  return asks < clarifications && call.chart.context.dispatch < dispatches
}

const MOST_FORMS = 16

/**
 * The inquiry as it may be recorded and shown: its forms redacted, its state as it is. Null where it has no form of bearable size, or
 * holds a secret where nothing may be masked.
 *
 * @param seals its state is sealed, and so may hold anything
 */
export function recordableInquiry(inquiry: Inquiry, redactor: Redactor, mostBytes: number, seals: boolean): Inquiry | null {
  const forms = cleanJson(inquiry.forms)
  const { state } = inquiry
  if (!isJsonObject(forms ?? null) || (state !== null && typeof state !== 'string')) return null
  const entries = Object.entries(forms as { readonly [name: string]: Json })
  if (entries.length === 0 || entries.length > MOST_FORMS || !entries.every(([, form]) => isForm(form))) return null
  const kept = [...entries.map(([name]) => name), ...(state === null || seals ? [] : [state])]
  if (kept.some(text => redactor.text(text).changed)) return null
  const redacted = Object.fromEntries(entries.map(([name, form]) => [name, redactor.value(form).value])) as Inquiry['forms']
  const recordable = { forms: redacted, state }
  return Buffer.byteLength(canonicalJson(recordable)) <= mostBytes ? recordable : null
}

function isForm(form: Json): boolean {
  if (!isJsonObject(form)) return false
  const { message, schema, ...more } = form
  return (
    typeof message === 'string' && isJsonObject(schema ?? null) && Object.keys(more).length === 0 && compiledSchema(schema as JsonObject).ok
  )
}

/** What of the answers does not fit its form, by name; null when all of them do. */
export function misfitAnswer(forms: Inquiry['forms'], answers: JsonObject): string | null {
  const stranger = Object.keys(answers).find(name => !Object.hasOwn(forms, name))
  if (stranger !== undefined) return stranger
  for (const [name, { schema }] of Object.entries(forms)) {
    const answer = answers[name]
    const compiled = compiledSchema(schema)
    if (answer === undefined || !isJsonObject(answer) || !compiled.ok || !compiled.validate(answer).ok) return name
  }
  return null
}
