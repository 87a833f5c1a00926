// A call's result as the interface has it. Text goes as text, pictures and documents as files beside it.

import type { LanguageModelV4ToolResultOutput } from '@ai-sdk/provider'
import type { ToolResult } from '../../../machines/tool.ts'
import { inWords, resultParts, resultWords, type ResultPart } from '../result-parts.ts'

type ContentPart = Extract<LanguageModelV4ToolResultOutput, { type: 'content' }>['value'][number]

/** An error is told in words: no other form of content says of itself that it is one. */
export function toolOutput(result: ToolResult): LanguageModelV4ToolResultOutput {
  const parts = resultParts(result)
  const text = resultWords(result)
  if (result.isError === true) return { type: 'error-text', value: text }
  return parts.some(isFile) ? { type: 'content', value: parts.map(contentPart) } : { type: 'text', value: text }
}

function contentPart(part: ResultPart): ContentPart {
  if (!isFile(part)) return { type: 'text', text: inWords(part) }
  return { type: 'file', mediaType: part.mimeType, data: { type: 'data', data: part.data } }
}

/** What packages pass on. What a provider does not take they leave out in silence, so all else is named in words. */
function isFile(part: ResultPart): part is Exclude<ResultPart, { kind: 'text' }> {
  return part.kind === 'image' || (part.kind === 'file' && part.mimeType === 'application/pdf')
}
