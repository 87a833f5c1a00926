// What a server wants to know before it does what it was called for, as an inquiry to the acting person, and the answers back to it.
// Only forms are asked: there are no roots, no sampling, and no address is opened for a server.

import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/client'
import { inquire, type Inquired, type InquiryForm } from '../../../machines/inquiry.ts'
import { isJsonObject, type Json } from '../../../machines/json.ts'

/** By its own names for them, and as it wrote them. */
export type Requests = { readonly [name: string]: Json }

/** Parts of the message of a call. */
export type Parts = { readonly [part: string]: unknown }

/** What the client can do in this very call: there is somebody to be asked. */
export const ASKS: Parts = { [CLIENT_CAPABILITIES_META_KEY]: { elicitation: { form: {} } } }

/** The inquiry that the requests are; null where one of them is none that a person could answer. */
export function inquiryOf(requests: Requests, state: string | undefined): unknown {
  const forms = Object.entries(requests).map(([name, request]): [string, InquiryForm | null] => [name, formOf(request)])
  if (!forms.every((entry): entry is [string, InquiryForm] => entry[1] !== null)) return null
  return inquire({ forms: Object.fromEntries(forms), state: state ?? null })
}

function formOf(request: Json): InquiryForm | null {
  if (!isJsonObject(request) || request['method'] !== 'elicitation/create') return null
  const { params } = request
  if (!isJsonObject(params ?? null)) return null
  const { mode = 'form', message, requestedSchema } = params as { readonly [name: string]: Json }
  if (mode !== 'form' || typeof message !== 'string' || !isJsonObject(requestedSchema ?? null)) return null
  return { message, schema: requestedSchema as InquiryForm['schema'] }
}

/** The parts of the next message of the same call: each form accepted as it was answered, and the state byte for byte. */
export function responsesTo({ answers, state }: Inquired): Parts {
  const inputResponses = Object.fromEntries(Object.entries(answers).map(([name, content]) => [name, { action: 'accept', content }]))
  return { inputResponses, ...(state === null ? {} : { requestState: state }) }
}

const WANTED = new Map<unknown, string>([
  ['elicitation/create', 'the answer of a person'],
  ['sampling/createMessage', 'the answer of a model'],
  ['roots/list', 'folders'],
])

/** For the model, where nobody gives the server what it wants. */
export function unaskedText(requests: Requests): string {
  const wanted = Object.values(requests).map(request => WANTED.get(isJsonObject(request) ? request['method'] : null) ?? 'something')
  return `The server did not do it: it wants ${[...new Set(wanted)].join(', and ')} first, and is not given that.`
}
