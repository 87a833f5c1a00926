// After its close a runtime does nothing more: its verbs reject, since the store and the bus behind them are gone.

import { ToolturnError } from '../errors.ts'

type Verbs = { readonly [name: string]: (...given: never[]) => unknown }

/** The verbs, each of which rejects with `runtime_closed` once the runtime is closed. All of them answer with a promise. */
export function whileOpen<V extends Verbs>(isClosed: () => boolean, verbs: V): V {
  const guarded = Object.entries(verbs).map(([name, verb]) => {
    const open = async (...given: never[]): Promise<unknown> => {
      if (isClosed()) throw new ToolturnError('runtime_closed', '')
      return verb(...given)
    }
    return [name, open]
  })
  return Object.fromEntries(guarded) as V
}

/** The same for verbs that answer with a stream: the first step of it rejects. */
export function streamsWhileOpen<V extends Verbs>(isClosed: () => boolean, verbs: V): V {
  const guarded = Object.entries(verbs).map(([name, verb]) => {
    const open = async function* (...given: never[]): AsyncGenerator<unknown> {
      if (isClosed()) throw new ToolturnError('runtime_closed', '')
      yield* verb(...given) as AsyncIterable<unknown>
    }
    return [name, open]
  })
  return Object.fromEntries(guarded) as V
}
