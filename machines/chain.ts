// The hash chain over a stream. Payloads can be erased for good; the chain then still verifies and says so.

import { createHash } from 'node:crypto'
import type { Envelope, Fact, StoredEvent } from './events.ts'
import { SCHEMA_VERSION } from './events.ts'
import { canonicalJson } from './json.ts'

/** What stands before version 1. */
export const GENESIS = '0'.repeat(64)

/** What a writer says of a fact when it puts it into a stream. */
export type Stamp = Pick<Envelope, 'turnId' | 'tenant' | 'time' | 'actor' | 'worked'>

/** SHA-256 over salt and canonical payload. @param salt hexadecimal */
export function dataHash(salt: string, data: unknown): string {
  return createHash('sha256').update(salt, 'hex').update(canonicalJson(data)).digest('hex')
}

/** Hash of an event: over the hash before it and the envelope, in which the digest of the payload stands for the payload. */
export function envelopeHash(event: Omit<StoredEvent, 'hash' | 'data' | 'salt'>): string {
  const { turnId, version, type, schemaVersion, time, tenant, actor, worked, previousHash } = event
  const envelope = { turnId, version, type, schemaVersion, time, tenant, actor, worked, data: event.dataHash }
  return createHash('sha256').update(previousHash, 'hex').update(canonicalJson(envelope)).digest('hex')
}

/**
 * Puts facts behind the head of a stream.
 *
 * @param head version and hash of the last event; version 0 and GENESIS for a new stream
 * @param salt gives 16 random bytes in hexadecimal, once for each fact
 */
export function chain(head: { version: number; hash: string }, facts: readonly Fact[], stamp: Stamp, salt: () => string): StoredEvent[] {
  const events: StoredEvent[] = []
  let { version, hash } = head
  for (const fact of facts) {
    version += 1
    const salted = salt()
    const draft = {
      ...stamp,
      version,
      type: fact.type,
      schemaVersion: SCHEMA_VERSION,
      previousHash: hash,
      dataHash: dataHash(salted, fact.data),
    }
    hash = envelopeHash(draft)
    events.push({ ...draft, hash, data: fact.data, salt: salted })
  }
  return events
}

/** What `verify` says of one event: it fits; it fits and its payload was erased; or it does not fit. */
export type LinkVerdict = 'whole' | 'erased' | 'broken'

/** Checks one event against the one before it. @param previous null before version 1 */
export function checkLink(previous: Pick<StoredEvent, 'version' | 'hash'> | null, event: StoredEvent): LinkVerdict {
  const expected = previous ?? { version: 0, hash: GENESIS }
  if (event.version !== expected.version + 1 || event.previousHash !== expected.hash) return 'broken'
  if (envelopeHash(event) !== event.hash) return 'broken'
  if (event.salt === null) return 'erased'
  return dataHash(event.salt, event.data) === event.dataHash ? 'whole' : 'broken'
}
