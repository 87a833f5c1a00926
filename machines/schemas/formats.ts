// Formats that are checked, in every dialect. All others are annotations: they are kept in the schema and check nothing.

import { fullFormats, type FormatName } from 'ajv-formats/dist/formats.js'

/**
 * Checked in time that is linear in the text. Left out: `uri-template` and `url`, whose patterns can be made to stall, `regex`,
 * which would compile a pattern that the model wrote, and `byte`, whose pattern takes one good line for the whole.
 */
const CHECKED = [
  'date-time',
  'date',
  'time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uri-reference',
  'uuid',
  'json-pointer',
  'int32',
  'int64',
  'float',
  'double',
] as const satisfies readonly FormatName[]

export const FORMATS: Readonly<Record<string, (typeof fullFormats)[FormatName]>> = Object.fromEntries(
  CHECKED.map(name => [name, fullFormats[name]]),
)

export function isCheckedFormat(name: unknown): boolean {
  return typeof name === 'string' && Object.hasOwn(FORMATS, name)
}
