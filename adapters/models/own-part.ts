// What an adapter keeps with an item is for itself: a turn may follow one of another provider, whose signatures and ids say nothing
// here and would have the request refused. So each keeps its part under its own name, and reads no other.

import { isJsonObject, type Json } from '../../machines/json.ts'

/** @param provider the adapter's name for itself, always the same */
export function ownPart(provider: string, part: Json): Json {
  return { [provider]: part }
}

/** The part that this provider's adapter kept; undefined where another one, or none, did. */
export function readOwnPart(provider: string, kept: Json | undefined): Json | undefined {
  return isJsonObject(kept) && Object.hasOwn(kept, provider) ? kept[provider] : undefined
}
