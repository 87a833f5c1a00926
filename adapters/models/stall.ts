// A bound on the silence of a stream: one that says nothing for too long is as good as dead.

/** What guards one ask: its signal aborts when the turn's does, or when nothing was heard for too long. */
export type StallGuard = {
  readonly signal: AbortSignal
  /** Something came: the count begins anew. */
  readonly heard: () => void
  /** True once the silence was too long. */
  readonly stalled: () => boolean
  readonly end: () => void
}

/** @param stallMs milliseconds of silence that are borne */
export function stallGuard(signal: AbortSignal, stallMs: number): StallGuard {
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(new Error('stalled')), stallMs)
  return {
    signal: AbortSignal.any([signal, silence.signal]),
    heard: () => void timer.refresh(),
    stalled: () => silence.signal.aborted,
    end: () => clearTimeout(timer),
  }
}
