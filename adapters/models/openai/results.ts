// Results of tools as OpenAI takes them: words, and where an API shows pictures to the model, pictures.

import type { ToolResult } from '../../../machines/tool.ts'
import { inWords, resultParts, resultWords, type ResultPart } from '../result-parts.ts'

const SHOWN_IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif'])

/** OpenAI has no mark for a result that is an error, so it is said in words. */
const ERROR_MARK = 'Error: '

/** The whole result in words. */
export function resultText(result: ToolResult): string {
  const text = resultWords(result)
  return result.isError === true ? ERROR_MARK + text : text
}

/** One piece of a result: words, or a picture as a data URL. */
export type ShownPart = { readonly text: string } | { readonly image: string }

/** The result in words and pictures, in its order; null where it holds no picture. */
export function shownParts(result: ToolResult): readonly ShownPart[] | null {
  const parts = resultParts(result)
  if (!parts.some(isShownImage)) return null
  const shown = parts.map(part => (isShownImage(part) ? { image: `data:${part.mimeType};base64,${part.data}` } : { text: inWords(part) }))
  return result.isError === true ? [{ text: ERROR_MARK.trimEnd() }, ...shown] : shown
}

function isShownImage(part: ResultPart): part is Extract<ResultPart, { readonly data: string }> {
  return part.kind === 'image' && SHOWN_IMAGES.has(part.mimeType)
}
