// Compiled schemas by the digest of their canonical text: the same schema is compiled once, wherever it came from.

import { createHash } from 'node:crypto'
import { compileSchema, type CompiledSchema } from './compile.ts'
import { boundedText } from './survey.ts'
import type { Schema } from './places.ts'

/** A compiled schema takes up to some hundred kilobytes. */
const MAX_COMPILED = 256

const compiled = new Map<string, CompiledSchema>()

/** `compileSchema`, remembered for the schemas that were used last. */
export function compiledSchema(schema: Schema): CompiledSchema {
  const key = keyOf(schema)
  if (key === null) return compileSchema(schema)
  const known = compiled.get(key) ?? compileSchema(schema)
  compiled.delete(key)
  compiled.set(key, known)
  const [oldest] = compiled.keys()
  if (compiled.size > MAX_COMPILED && oldest !== undefined) compiled.delete(oldest)
  return known
}

/** Null for what has no canonical text of bearable size; it is refused at once, so nothing is gained by remembering it. */
function keyOf(schema: Schema): string | null {
  try {
    return createHash('sha256').update(boundedText(schema)).digest('base64url')
  } catch {
    return null
  }
}
