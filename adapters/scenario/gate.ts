// What a worker has to pass before it does anything, so that it can be stopped where a killed process would have stopped.

import type { Store } from '../../machines/ports/store.ts'

export type Gate = {
  /** Nothing passes until it is opened again: of a worker that is as good as dead, never. */
  readonly close: () => void
  readonly open: () => void
  /** Resolves at once while the gate is open. */
  readonly pass: () => Promise<void>
}

export function gate(): Gate {
  let opened = Promise.resolve()
  let open = () => {}
  return {
    close: () => {
      const closed = Promise.withResolvers<void>()
      opened = closed.promise
      open = closed.resolve
    },
    open: () => open(),
    pass: () => opened,
  }
}

/** Never resolves: the answer that a dead process gets. */
export function never(): Promise<never> {
  return new Promise(() => undefined)
}

/** A store that a stopped worker neither reaches nor hears from. */
export function gatedStore(store: Store, { pass }: Gate): Store {
  const gated =
    <A extends unknown[], R>(method: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await pass()
      const answer = await method(...args)
      await pass()
      return answer
    }
  return {
    ...store,
    now: gated(store.now),
    open: gated(store.open),
    append: gated(store.append),
    read: gated(store.read),
    turn: gated(store.turn),
    secrets: gated(store.secrets),
    sealed: gated(store.sealed),
    enlist: gated(store.enlist),
    heartbeat: gated(store.heartbeat),
    claim: gated(store.claim),
    release: gated(store.release),
    unpublished: gated(store.unpublished),
    acknowledge: gated(store.acknowledge),
    lead: gated(store.lead),
  }
}
