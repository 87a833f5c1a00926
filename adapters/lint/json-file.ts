// Files of JSON or of lines of JSON, read whole: the values, and where each stands.

import { readFileSync, statSync } from 'node:fs'
import { ToolturnError } from '../../machines/errors.ts'
import type { Json } from '../../machines/json.ts'
import { parseJson } from '../../machines/json-text.ts'
import { requireFile } from '../cli/reading.ts'

/** One value of a file. */
export type Read = {
  readonly value: Json
  /** The text that it was read from. */
  readonly text: string
  /** Number of its line from 1; null where the whole file is one value. */
  readonly line: number | null
}

const MAX_FILE_BYTES = 268_435_456

/**
 * The one value of a file, or that of each line which is not blank.
 *
 * @param option what the file was given as
 * @throws ToolturnError `option_invalid` where it cannot be read, is larger than 256 MB, or is neither
 */
export function readJsonFile(option: string, path: string): readonly Read[] {
  requireFile(option, path)
  if (statSync(path).size > MAX_FILE_BYTES) {
    throw new ToolturnError('option_invalid', `The file ${path} is larger than ${MAX_FILE_BYTES} bytes.`, { option, path })
  }
  const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
  const whole = valueOf(text)
  if (whole !== undefined) return [{ value: whole, text, line: null }]
  return text.split('\n').flatMap((written, index): readonly Read[] => {
    const line = index + 1
    const value = valueOf(written)
    if (value !== undefined) return [{ value, text: written, line }]
    if (written.trim() === '') return []
    const message = `The file ${path} is neither JSON nor lines of JSON: line ${line} is none.`
    throw new ToolturnError('option_invalid', message, { option, path, line })
  })
}

function valueOf(text: string): Json | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined // Said by the caller, with the line.
  }
}
