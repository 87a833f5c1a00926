// The world in which tools have their effects. It counts what really happened, knows of every start whether it was allowed,
// and keeps what idempotent and fencing tools keep for themselves.

import type { ReplayPolicy, ToolResult } from '../../machines/tool.ts'

/** What a kind of tool does beyond its policy. */
export type ToolKind = {
  readonly name: string
  readonly policy: ReplayPolicy
  /** Writes only where its dispatch is higher than what was voided, and can say what became of a dispatch (D6). */
  readonly fences: boolean
}

/** Everything that happened under one invocation id. */
export type Deed = {
  readonly kind: ToolKind
  /** Dispatch and try of every start. */
  readonly starts: string[]
  /** Starts that have not come to their end, by dispatch. */
  readonly underWay: number[]
  /** Effects that took place; deduplicated ones do not count. */
  effects: number
  /** Dispatches up to this one can no longer have an effect. */
  voidedThrough: number
  result: ToolResult | null
}

export type Effects = {
  readonly of: (invocationId: string) => Deed | undefined
  /** A start of a tool. @returns the rules it breaks */
  readonly start: (
    kind: ToolKind,
    invocationId: string,
    dispatch: number,
    number: number,
  ) => { readonly deed: Deed; readonly broken: readonly string[] }
  /** The moment of the effect. False: it was voided, and nothing happens. @returns the rules it breaks beside */
  readonly happen: (deed: Deed, dispatch: number, result: ToolResult) => { readonly done: boolean; readonly broken: readonly string[] }
  readonly end: (deed: Deed, dispatch: number) => void
  /** Settles a dispatch in the place where the effect happens: what was done, or nothing, and then never. */
  readonly settle: (kind: ToolKind, invocationId: string, dispatch: number) => ToolResult | null
  /** An effect of this call can no longer take place, unless it is started again. */
  readonly isOver: (invocationId: string) => boolean
  readonly all: () => IterableIterator<Deed>
}

export function newEffects(): Effects {
  const deeds = new Map<string, Deed>()
  const deedOf = (kind: ToolKind, invocationId: string) => {
    const deed = deeds.get(invocationId) ?? { kind, starts: [], underWay: [], effects: 0, voidedThrough: 0, result: null }
    deeds.set(invocationId, deed)
    return deed
  }
  return {
    of: invocationId => deeds.get(invocationId),
    all: () => deeds.values(),
    start: (kind, invocationId, dispatch, number) => {
      const deed = deedOf(kind, invocationId)
      const name = `${dispatch}.${number}`
      const broken = [
        deed.starts.includes(name) && `dispatch ${dispatch}, try ${number} of one call is started twice`,
        kind.policy === 'at-most-once' && number > 1 && 'D3: an at-most-once tool is tried again',
      ]
      deed.starts.push(name)
      deed.underWay.push(dispatch)
      return { deed, broken: broken.filter(rule => rule !== false) }
    },
    happen: (deed, dispatch, result) => {
      const voided = deed.kind.fences && dispatch <= deed.voidedThrough
      if (voided) return { done: false, broken: [] }
      const dedupes = deed.kind.policy !== 'at-most-once'
      const again = deed.effects > 0
      deed.result ??= result
      if (!again || !dedupes) deed.effects += 1
      return { done: true, broken: again && !dedupes ? ['D3: an at-most-once tool had its effect twice under one invocation id'] : [] }
    },
    end: (deed, dispatch) => void deed.underWay.splice(deed.underWay.indexOf(dispatch), 1),
    settle: (kind, invocationId, dispatch) => {
      const deed = deedOf(kind, invocationId)
      if (deed.effects > 0) return deed.result
      deed.voidedThrough = Math.max(deed.voidedThrough, dispatch)
      return null
    },
    isOver: invocationId => (deeds.get(invocationId)?.underWay.length ?? 0) === 0,
  }
}
