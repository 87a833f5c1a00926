// Reading parts of the wire whose shape nobody vouches for.

import type { JsonObject } from '../../../machines/json.ts'

/** The text of a member; the empty text where it is none. */
export function textAt(part: JsonObject | undefined, name: string): string {
  const text = part?.[name]
  return typeof text === 'string' ? text : ''
}
