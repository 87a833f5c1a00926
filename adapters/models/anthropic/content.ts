// The blocks of messages: assistant content as it was recorded, and the results of tools.

import type {
  ContentBlockParam,
  ImageBlockParam,
  TextBlockParam,
  ToolResultBlockParam,
  DocumentBlockParam,
} from '@anthropic-ai/sdk/resources/messages'
import { readArguments } from '../../../machines/arguments/read.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../machines/json.ts'
import type { MessageItem, PairedResult } from '../../../machines/ports/model.ts'
import { readOwnPart } from '../own-part.ts'
import { inWords, resultParts, type ResultPart } from '../result-parts.ts'
import type { ToolNames } from '../tool-names.ts'

/** The name under which this adapter keeps what Anthropic wants back. */
export const PROVIDER = 'anthropic'

/** The block that is sent for an item: none for what another provider's adapter kept. */
export function blocksOf(item: MessageItem, names: ToolNames): readonly ContentBlockParam[] {
  const block = blockOf(item, names)
  return block === null ? [] : [block as unknown as ContentBlockParam]
}

function blockOf(item: MessageItem, names: ToolNames): JsonObject | null {
  switch (item.kind) {
    case 'text':
      return { type: 'text', text: item.text, ...own(item.extra) }
    case 'call':
      return { type: 'tool_use', id: item.id, name: names.toProvider(item.name), input: inputOf(item.arguments), ...own(item.extra) }
    case 'opaque': {
      const block = readOwnPart(PROVIDER, item.value)
      return isJsonObject(block) && typeof block['type'] === 'string' ? block : null
    }
    case 'provider-tool': {
      const rest = readOwnPart(PROVIDER, item.extra)
      if (!isJsonObject(rest)) return null
      const { id = '', input, result } = item
      return result === undefined ? { ...rest, id, input: input ?? {} } : { ...rest, tool_use_id: id, content: result }
    }
  }
}

function own(extra: Json | undefined): JsonObject {
  const part = readOwnPart(PROVIDER, extra)
  return isJsonObject(part) ? part : {}
}

/** The API takes only objects here. A text that is none, or that would not come out as it went in, is shown to the model as a text. */
function inputOf(text: string): JsonObject {
  const read = readArguments(text)
  return read.ok ? read.value : { INVALID_JSON: text }
}

/** The API takes nothing but texts in a result that is an error. */
export function resultBlock({ id, result }: PairedResult): ToolResultBlockParam {
  const isError = result.isError === true
  const content = resultParts(result).map(part => (isError ? { type: 'text' as const, text: inWords(part) } : partBlock(part)))
  return {
    type: 'tool_result',
    tool_use_id: id,
    ...(content.length === 0 ? {} : { content }),
    ...(isError ? { is_error: true } : {}),
  }
}

type ImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp'
const IMAGES: ReadonlySet<string> = new Set<ImageType>(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

function partBlock(part: ResultPart): TextBlockParam | ImageBlockParam | DocumentBlockParam {
  if (part.kind !== 'text' && IMAGES.has(part.mimeType))
    return { type: 'image', source: { type: 'base64', media_type: part.mimeType as ImageType, data: part.data } }
  if (part.kind === 'file' && part.mimeType === 'application/pdf')
    return { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: part.data } }
  return { type: 'text', text: inWords(part) }
}
