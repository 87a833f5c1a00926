// A committed event as the bus carries it, and back: CloudEvents 1.0 in binary mode around the event's canonical text.

import { createHash } from 'node:crypto'
import type { StoredEvent } from '../machines/events.ts'
import { TOKEN } from '../machines/ids.ts'
import { canonicalJson, isJsonObject, type JsonObject } from '../machines/json.ts'
import type { BusMessage } from '../machines/ports/bus.ts'
import { eventSubject } from './subjects.ts'
import { parseJson } from '../machines/json-text.ts'

/** An event as others see it: all but the salt, which stays in the store so that an erased payload cannot be guessed from its digest. */
export type PublicEvent = Omit<StoredEvent, 'salt' | 'dataHash'>

/** What a body turned out to be. */
export type Received =
  | { readonly kind: 'event'; readonly event: PublicEvent }
  /** The event is too large for the broker: read it from the store. The digest is of its whole body. */
  | { readonly kind: 'reference'; readonly turnId: string; readonly version: number; readonly digest: string; readonly bytes: number }
  /** Nothing of ours. */
  | { readonly kind: 'foreign' }

const LABELS_HEADER = 'toolturn-labels'

/** `<turnId>:<version>`: the name of an event everywhere, and what a broker recognises a second copy by. */
function messageId(turnId: string, version: number): string {
  return `${turnId}:${version}`
}

/** The public part of a stored event, its keys in the documented order. */
export function publicEvent(event: StoredEvent | PublicEvent): PublicEvent {
  const { turnId, version, type, schemaVersion, time, tenant, actor, worked, data, previousHash, hash } = event
  return { turnId, version, type, schemaVersion, time, tenant, actor, worked, data, previousHash, hash }
}

/**
 * The message of a committed event. Its attributes are headers (`ce-…`), so that one can route without reading the body.
 *
 * @throws ToolturnError `option_invalid` when tenant, turn id or type do not fit a subject
 */
export function eventMessage(
  event: StoredEvent,
  labels: { readonly [name: string]: string },
  space: 'turns' | 'replays' = 'turns',
): BusMessage {
  const id = messageId(event.turnId, event.version)
  return {
    subject: eventSubject(space, event),
    id,
    headers: {
      'ce-specversion': '1.0',
      'ce-id': id,
      'ce-source': `/toolturn/${event.tenant}`,
      'ce-type': event.type,
      'ce-subject': event.turnId,
      'ce-time': event.time,
      'ce-datacontenttype': 'application/json',
      'content-type': 'application/json',
      [LABELS_HEADER]: asciiJson(labels),
    },
    body: bodyOf(event),
  }
}

/** The public event in canonical text, UTF-8. */
export function bodyOf(event: StoredEvent | PublicEvent): Uint8Array {
  return Buffer.from(canonicalJson(publicEvent(event)), 'utf8')
}

/** SHA-256 of a body, hexadecimal. */
export function bodyDigest(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex')
}

/** The same message with a reference in place of a body that the broker would not take. */
export function asReference(message: BusMessage): BusMessage {
  const at = message.id.lastIndexOf(':')
  const reference = { turnId: message.id.slice(0, at), version: Number(message.id.slice(at + 1)) }
  const body = { reference, digest: bodyDigest(message.body), bytes: message.body.byteLength }
  return { ...message, body: Buffer.from(canonicalJson(body), 'utf8') }
}

/** Bytes that a message takes of the broker's limit: its headers and its body. */
export function wireBytes(message: BusMessage): number {
  const lines = Object.entries(message.headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const preamble = 'NATS/1.0\r\n\r\n'.length + `Nats-Msg-Id: ${message.id}\r\n`.length
  return preamble + Buffer.byteLength(lines.join(''), 'utf8') + message.body.byteLength
}

/** The message as the broker takes it: whole where it fits into `limit` bytes, else as a reference. */
export function fitted(message: BusMessage, limit: number): BusMessage {
  return wireBytes(message) <= limit ? message : asReference(message)
}

/** Reads a body. Never throws: what is not ours is `foreign`. */
export function readMessage(body: Uint8Array): Received {
  const value = parsed(body)
  if (!isJsonObject(value)) return { kind: 'foreign' }
  if (isEvent(value)) return { kind: 'event', event: publicEvent(value) }
  const { reference, digest, bytes } = value
  if (isJsonObject(reference) && isPlace(reference) && typeof digest === 'string' && typeof bytes === 'number') {
    return { kind: 'reference', turnId: reference.turnId, version: reference.version, digest, bytes }
  }
  return { kind: 'foreign' }
}

function parsed(body: Uint8Array): unknown {
  try {
    return parseJson(Buffer.from(body).toString('utf8'))
  } catch {
    return null // not JSON: foreign
  }
}

function isPlace(value: JsonObject): value is JsonObject & { readonly turnId: string; readonly version: number } {
  const { turnId, version } = value
  return typeof turnId === 'string' && TOKEN.test(turnId) && Number.isSafeInteger(version) && (version as number) >= 1
}

function isEvent(value: unknown): value is PublicEvent {
  if (!isJsonObject(value) || !isPlace(value)) return false
  const { type, time, tenant, previousHash, hash, schemaVersion, worked, actor, data }: JsonObject = value
  const texts = [type, time, tenant, previousHash, hash].every(each => typeof each === 'string')
  return texts && typeof schemaVersion === 'number' && typeof worked === 'number' && isJsonObject(actor) && data !== undefined
}

/** JSON in printable ASCII: what every client reads out of a header alike. */
function asciiJson(value: unknown): string {
  return canonicalJson(value).replace(/[^\x20-\x7e]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
