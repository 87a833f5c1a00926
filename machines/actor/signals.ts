// Abort signals, listened to without leaving listeners behind: a worker's signals live long, what listens to them does not.

/** Why a wait or a listener is not needed any more. One value for all: making an error for each would cost more than the wait. */
export const DONE = new Error('done')

/** Calls back once when the signal is aborted, at once when it is already. @param until aborted when nobody listens any more */
export function onAbort(signal: AbortSignal, callback: () => void, until: AbortSignal): void {
  if (until.aborted) return
  if (signal.aborted) return callback()
  const leave = () => signal.removeEventListener('abort', call)
  const call = () => {
    until.removeEventListener('abort', leave)
    callback()
  }
  signal.addEventListener('abort', call, { once: true })
  until.addEventListener('abort', leave, { once: true })
}

/** Resolves when the signal is aborted; never after `until` was. */
export function aborted(signal: AbortSignal, until: AbortSignal): Promise<'aborted'> {
  return new Promise(resolve => onAbort(signal, () => resolve('aborted'), until))
}

/** A controller that is aborted with the signal, for as long as `until` is not. */
export function abortedWith(signal: AbortSignal, until: AbortSignal): AbortController {
  const controller = new AbortController()
  onAbort(signal, () => controller.abort(signal.reason), until)
  return controller
}
