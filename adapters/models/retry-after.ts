// How long a provider asks to be left alone, as the headers of its answer say it.

/** What headers are read through: the platform's own `Headers`, or an SDK's. */
type Headers = { readonly get: (name: string) => string | null }

/** A server that asks for more is mistaken, or means to stop us for good. */
const MOST_MS = 86_400_000

/**
 * `retry-after-ms` in milliseconds, else `retry-after` in seconds or as a date.
 *
 * @returns milliseconds from now, at most a day; undefined where nothing readable is said
 */
export function retryAfterMs(headers: Headers | undefined): number | undefined {
  const exact = numberOf(headers?.get('retry-after-ms'))
  if (exact !== undefined) return bounded(exact)
  const said = headers?.get('retry-after')
  const seconds = numberOf(said)
  if (seconds !== undefined) return bounded(seconds * 1_000)
  const date = Date.parse(said ?? '')
  return Number.isNaN(date) ? undefined : bounded(date - Date.now())
}

function numberOf(text: string | null | undefined): number | undefined {
  return text !== null && text !== undefined && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined
}

function bounded(ms: number): number {
  return Math.min(Math.max(Math.ceil(ms), 0), MOST_MS)
}
