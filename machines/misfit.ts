// Values against the schemas of our own shapes. A schema is compiled when the first value is held against it: most of the time that a
// short command would take to start goes into schemas that it never needs.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'

export type Misfit = { readonly at: string; readonly keyword: string; readonly message: string }

const ajv = new Ajv2020({ strict: false, allErrors: false })
const compiled = new WeakMap<TSchema, ValidateFunction>()

/** The first place where a value does not fit; null where it fits. */
export function misfit(schema: TSchema, value: unknown): Misfit | null {
  const fits = compiled.get(schema) ?? compile(schema)
  if (fits(value)) return null
  const { instancePath = '', keyword = '', message = '' } = fits.errors?.[0] ?? {}
  return { at: instancePath, keyword, message }
}

function compile(schema: TSchema): ValidateFunction {
  const fits = ajv.compile(schema)
  compiled.set(schema, fits)
  return fits
}
