// A store whose appends a test can watch, refuse, or let a worker die over.

import type { Append, Store } from '../../machines/ports/store.ts'

/**
 * What becomes of an append. `refused`: by the store, this one only. `dies before`, `dies after`: the worker dies before it is sent,
 * or when it is committed and nothing has followed from it.
 */
export type Fate = 'sent' | 'refused' | 'dies before' | 'dies after'

export type WatchedStore = Store & {
  /** Says of each append of an owner what becomes of it, from now on. */
  readonly decide: (fate: (append: Append) => Fate) => void
}

type Told = { readonly committed: (append: Append) => void; readonly died: () => void }

export function watchedStore(store: Store, told: Told): WatchedStore {
  let fateOf: (append: Append) => Fate = () => 'sent'
  const send = async (append: Append) => {
    const answer = await store.append(append)
    if (answer.answer === 'accepted') told.committed(append)
    return answer
  }
  return {
    ...store,
    decide: fate => {
      fateOf = fate
    },
    append: async append => {
      switch (append.epoch === null ? 'sent' : fateOf(append)) {
        case 'sent':
          return send(append)
        case 'refused':
          return { answer: 'failed', error: new Error('refused') }
        case 'dies before':
          told.died()
          return { answer: 'fenced' }
        case 'dies after':
          await send(append)
          told.died()
          return { answer: 'fenced' }
      }
    },
  }
}
