// What a tool of the AI SDK returned, as a result of the MCP shape: its value, or what its own `toModelOutput` shows the model of it.

import { isJsonObject, type Json, type JsonObject } from '../../machines/json.ts'
import { cleanJson } from '../../machines/results/clean.ts'
import { textBlock } from '../../machines/results/shape.ts'

/** A value of an output schema stands beside its text. */
export function valueResult(output: unknown): object {
  return { structuredContent: output, ...(typeof output === 'string' ? { content: [textBlock(output)] } : {}) }
}

/** @param call what `toModelOutput` is given: what it leaves out is nowhere in the result, so that no model reads it */
export async function shownResult(
  toModelOutput: (call: never) => unknown,
  call: { readonly input: unknown; readonly output: unknown; readonly toolCallId: string },
): Promise<unknown> {
  return resultOf(cleanJson(await toModelOutput(call as never)))
}

function resultOf(output: Json | undefined): unknown {
  if (!isJsonObject(output)) return output
  const { type, value = null, reason } = output
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  switch (type) {
    case 'text':
      return { content: [textBlock(text)] }
    case 'error-text':
    case 'error-json':
      return { content: [textBlock(text)], isError: true }
    case 'execution-denied':
      return { content: [textBlock(typeof reason === 'string' ? reason : 'The tool did not run.')], isError: true }
    case 'content':
      return { content: (Array.isArray(value) ? (value as readonly Json[]) : []).map(blockOf) }
    default:
      return { structuredContent: value }
  }
}

/** Text and files that are at hand; of everything else what it says of itself. */
function blockOf(part: Json): JsonObject {
  if (!isJsonObject(part)) return textBlock(JSON.stringify(part))
  const { type, text, data, mediaType } = part
  if (type === 'text' && typeof text === 'string') return textBlock(text)
  const bytes = isJsonObject(data) ? data['data'] : data
  if (typeof bytes !== 'string' || typeof mediaType !== 'string') return textBlock(JSON.stringify(part))
  if (/^(image|audio)(\/|$)/.test(mediaType))
    return { type: mediaType.startsWith('image') ? 'image' : 'audio', data: bytes, mimeType: mediaType }
  return { type: 'resource', resource: { uri: 'urn:tool:output', mimeType: mediaType, blob: bytes } }
}
