// What a server gave for itself (reasoning that it signed or hid, the phase of a message) goes back to that server alone: another one
// cannot read it, and may refuse the whole request for it.

import { isJsonObject, type Json, type JsonObject } from '../../../machines/json.ts'
import { ownPart, readOwnPart } from '../own-part.ts'

/** Which API gave it, and the name of the server's host. */
export type Origin = { readonly api: 'openai-responses' | 'openai-chat'; readonly host: string }

export function keep({ api, host }: Origin, part: JsonObject): Json {
  return ownPart(api, { host, part })
}

/** What this very origin gave; undefined for the word of any other. */
export function readKept({ api, host }: Origin, kept: Json | undefined): JsonObject | undefined {
  const own = readOwnPart(api, kept)
  if (!isJsonObject(own) || own['host'] !== host) return undefined
  return isJsonObject(own['part']) ? own['part'] : undefined
}
