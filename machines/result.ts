// A tool's result, whatever the tool did: always defined, of the MCP shape, never empty, and the same once it was stored
// (G1, B9).

import { createHash } from 'node:crypto'
import type { RecordedResult } from './events/shapes.ts'
import { canonicalJson, deepFreeze, type Json, type JsonObject } from './json.ts'
import { cleanJson, isError, ValueTooLarge } from './results/clean.ts'
import { problemLines } from './repair.ts'
import { isResultShaped, readResult, saysNothing, textBlock, wordsOf } from './results/shape.ts'
import { thrownText } from './results/thrown.ts'
import { compiledSchema } from './schemas/cache.ts'
import type { Problem } from './schemas/problem.ts'
import type { ToolResult } from './tool.ts'

/**
 * The result that a returned value stands for. Never throws.
 *
 * A value of the MCP shape is read as one. A text is a text block. Any other value is `structuredContent` with its JSON as a
 * text block beside it, as MCP asks for. Nothing (undefined, null, an empty text) is a text that says so. An error that was
 * returned counts as thrown.
 *
 * @param redact as `resultOfThrown` takes it
 */
export function normaliseResult(returned: unknown, redact?: (text: string) => string): ToolResult {
  if (isError(returned)) return resultOfThrown(returned, redact)
  try {
    return deepFreeze(resultOf(cleanJson(returned)))
  } catch (thrown) {
    if (!(thrown instanceof ValueTooLarge)) throw thrown
    return textResult('The tool ran. Its result was larger than anything that can be kept, and was left out.')
  }
}

function resultOf(value: Json | undefined): ToolResult {
  if (value === undefined || value === null) return textResult('The tool ran and returned nothing.')
  if (typeof value === 'string') return textResult(value.trim() === '' ? 'The tool ran and returned an empty text.' : value)
  if (isResultShaped(value)) return filled(readResult(value))
  return { content: [textBlock(JSON.stringify(value))], structuredContent: value }
}

/** Gives content to a result that would show the model nothing. */
function filled(result: ToolResult): ToolResult {
  if (!saysNothing(result.content)) return result
  if (result.structuredContent !== undefined) return { ...result, content: [textBlock(JSON.stringify(result.structuredContent))] }
  return result.isError === true ? errorResult('') : textResult('The tool ran and returned no content.')
}

function textResult(text: string): ToolResult {
  return { content: [textBlock(text)] }
}

/**
 * The result of a tool that threw: what the error says, bounded, with a hint; never its stack. Never throws.
 *
 * @param redact masks what it says before it is bounded
 */
export function resultOfThrown(thrown: unknown, redact?: (text: string) => string): ToolResult {
  return errorResult(thrownText(thrown, redact))
}

const FAILED_HINT = 'Correct the arguments if this says how, else go on without the tool.'

function errorResult(said: string): ToolResult {
  const what = said === '' ? 'The tool failed without saying why.' : `The tool failed: ${said}`
  return { content: [textBlock(`${what}\n${FAILED_HINT}`)], isError: true }
}

/**
 * Holds a result against the output schema of its tool. What does not fit is an error result that says so; an error result is
 * not held against it, so that what it says is not lost.
 *
 * @param schema of the descriptor; undefined where it declares none
 */
export function checkOutput(result: ToolResult, schema: JsonObject | boolean | undefined): ToolResult {
  if (schema === undefined || result.isError === true) return result
  if (result.structuredContent === undefined) return misfit([{ path: '', keyword: 'required', expected: 'a structured value' }])
  const compiled = compiledSchema(schema)
  if (!compiled.ok) return misfit([{ path: '', keyword: 'limit', expected: 'a schema that can be used' }])
  const checked = compiled.validate(result.structuredContent)
  return checked.ok ? result : misfit(checked.problems)
}

function misfit(problems: readonly Problem[]): ToolResult {
  const said = 'The tool ran, but its result does not fit its own output schema and cannot be relied on:'
  return { content: [textBlock(`${said}\n${problemLines(problems)}`)], isError: true }
}

/** The canonical text of a result as UTF-8: what is measured, digested, and kept whole where it is too large for a record. */
export function canonicalBytes(result: ToolResult): Uint8Array {
  return Buffer.from(canonicalJson(result), 'utf8')
}

/**
 * Bounds a result for the record.
 *
 * Over the bound the model is shown the beginning of its text, cut at a code point, and the mark; the short form fits the bound
 * itself, unless the bound is smaller than the mark.
 *
 * @param result redacted
 * @param recordBytes bytes of the canonical text that are still recorded whole
 * @param canonical the text, where it was made already: it may be large
 */
export function boundResult(result: ToolResult, recordBytes: number, canonical = canonicalBytes(result)): RecordedResult {
  const bytes = canonical.length
  const digest = createHash('sha256').update(canonical).digest('hex')
  if (bytes <= recordBytes) return { result, digest, bytes, truncated: false }
  return { result: shortForm(result, bytes, digest, recordBytes), digest, bytes, truncated: true }
}

function shortForm(result: ToolResult, bytes: number, digest: string, recordBytes: number): ToolResult {
  const form = (text: string): ToolResult => ({ content: [textBlock(text)], ...(result.isError === true ? { isError: true } : {}) })
  const around = Buffer.byteLength(canonicalJson(form(mark(bytes, bytes, digest))))
  const beginning = cutBytes(plainText(result), recordBytes - around)
  return form(`${beginning}${mark(bytes - Buffer.byteLength(beginning), bytes, digest)}`)
}

function mark(missing: number, bytes: number, digest: string): string {
  return `\n[truncated: ${missing} of ${bytes} bytes are left out; sha256 ${digest}]`
}

/** The texts of a result, and its structured value where it has none. */
function plainText(result: ToolResult): string {
  const texts = result.content.filter(block => block.type === 'text').map(wordsOf)
  return texts.length > 0 || result.structuredContent === undefined ? texts.join('\n') : canonicalJson(result.structuredContent)
}

/** The longest beginning, in whole code points, that takes at most so many bytes inside a canonical text. */
function cutBytes(text: string, bytes: number): string {
  let left = bytes
  let length = 0
  for (const character of text) {
    left -= Buffer.byteLength(JSON.stringify(character)) - 2
    if (left < 0) break
    length += character.length
  }
  return text.slice(0, length)
}
