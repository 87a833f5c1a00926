// References inside one schema: JSON pointers in the fragment of `$ref`. Nothing is ever fetched.

import type { Json, JsonObject } from '../json.ts'

/** The pointer of a reference; null for one that leads out of the schema, or by a name. */
export function pointerOf(reference: Json | undefined): string | null {
  return typeof reference === 'string' && /^#(?:\/|$)/.test(reference) ? reference.slice(1) : null
}

/** What stands there; undefined for nothing. */
export function resolvePointer(root: Json, pointer: string): Json | undefined {
  let at: Json | undefined = root
  for (const part of pointer.split('/').slice(1)) {
    const key = unescapePart(part)
    if (key === null || typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as JsonObject)[key]
  }
  return at
}

function unescapePart(part: string): string | null {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return null
  }
}
