// Abort signals as promises that leave no listener behind.

/** Resolves when the signal is aborted. @param done aborted when nobody waits any more: the listener is taken off */
export function aborted(signal: AbortSignal, done: AbortSignal): Promise<'aborted'> {
  if (signal.aborted) return Promise.resolve('aborted')
  return new Promise(resolve => signal.addEventListener('abort', () => resolve('aborted'), { once: true, signal: done }))
}
