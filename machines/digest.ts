// Digests of what must be compared and not kept: prepared arguments under the turn's key, requests in the open.

import { createHash, createHmac } from 'node:crypto'
import { canonicalJson, type JsonObject } from './json.ts'
import type { ModelRequest } from './ports/model.ts'

/**
 * HMAC-SHA-256 of a call's tool and whole prepared arguments, unredacted (D11): equal for equal calls of one turn, whatever the
 * order of keys, and worth nothing to somebody without the key, however few values an argument can have.
 *
 * @param turnKey 32 random bytes of the turn's row
 * @returns 43 characters of base64url
 */
export function argumentsDigest(turnKey: Uint8Array, tool: string, prepared: JsonObject): string {
  return createHmac('sha256', turnKey)
    .update(canonicalJson([tool, prepared]), 'utf8')
    .digest('base64url')
}

/**
 * SHA-256 over the canonical text of the neutral request, hexadecimal: what a replay compares (D8). The bytes that a
 * provider is sent do not enter, so a changed adapter is no divergence.
 */
export function requestDigest(request: ModelRequest): string {
  return createHash('sha256').update(canonicalJson(request), 'utf8').digest('hex')
}
