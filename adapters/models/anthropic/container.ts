// The container in which Anthropic ran code: named again as long as the model's answer goes on, so that it finds its files there.

import { isJsonObject, type Json } from '../../../machines/json.ts'
import type { Message, ModelItem } from '../../../machines/ports/model.ts'
import { ownPart, readOwnPart } from '../own-part.ts'
import { PROVIDER } from './content.ts'

/** An item that is no block: `blocksOf` sends nothing for it. */
export function containerItems(container: Json | undefined): readonly ModelItem[] {
  if (!isJsonObject(container) || typeof container['id'] !== 'string') return []
  const { id, expires_at: expires = null } = container
  return [{ kind: 'opaque', value: ownPart(PROVIDER, { container: { id, expires } }) }]
}

/** The container of the newest round since somebody spoke to the model, unless its time is over. */
export function containerOf(messages: readonly Message[]): string | null {
  const since = messages.findLastIndex(({ role }) => role === 'user') + 1
  const items = messages.slice(since).flatMap(message => (message.role === 'assistant' ? message.content : []))
  const kept = items.flatMap(item => (item.kind === 'opaque' ? [readOwnPart(PROVIDER, item.value)] : []))
  const containers = kept.flatMap(part => (isJsonObject(part) && isJsonObject(part['container']) ? [part['container']] : []))
  const { id, expires } = containers.at(-1) ?? {}
  const over = typeof expires === 'string' && Date.parse(expires) <= Date.now()
  return typeof id === 'string' && !over ? id : null
}
