// What an adapter keeps with an item is for itself: a turn may follow one of another provider, whose signatures and ids say nothing
// here and would have the request refused. So each keeps its part under its own name, and reads no other.

import { isJsonObject, type Json } from '../../machines/json.ts'
import type { Message } from '../../machines/ports/model.ts'

/** @param provider the adapter's name for itself, always the same */
export function ownPart(provider: string, part: Json): Json {
  return { [provider]: part }
}

/** The part that this provider's adapter kept; undefined where another one, or none, did. */
export function readOwnPart(provider: string, kept: Json | undefined): Json | undefined {
  return isJsonObject(kept) && Object.hasOwn(kept, provider) ? kept[provider] : undefined
}

/**
 * The messages without a provider's tool of which only one half, the use or the result, still has its part: providers refuse a half.
 * (A part that holds a secret is not kept.)
 */
export function withoutHalves(provider: string, messages: readonly Message[]): readonly Message[] {
  const items = messages.flatMap(message => (message.role === 'assistant' ? message.content : []))
  const torn = new Set(
    items.flatMap(item => (item.kind === 'provider-tool' && readOwnPart(provider, item.extra) === undefined ? [item.id] : [])),
  )
  if (torn.size === 0) return messages
  return messages.map(message => {
    if (message.role !== 'assistant') return message
    return { role: 'assistant', content: message.content.filter(item => item.kind !== 'provider-tool' || !torn.has(item.id)) }
  })
}
