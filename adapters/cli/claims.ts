// What a command that is soon over may claim: a worker takes whatever is due, a command only what it was asked to drive.

import type { Store } from '../../machines/ports/store.ts'
import type { StoreSource } from './where.ts'

/** What was claimed so far, and how many claims are not answered yet. */
export type Claims = { readonly turnIds: Set<string>; underWay: number }

/** A store of which only turns that are named are claimed. */
export function claimedByName(source: StoreSource): StoreSource {
  return withClaim(source, claim => async request => (request.turnId === undefined ? [] : claim(request)))
}

/** A store of which it is noted what was claimed. */
export function claimedInto(claims: Claims, source: StoreSource): StoreSource {
  return withClaim(source, claim => async request => {
    claims.underWay += 1
    try {
      const claimed = await claim(request)
      for (const { turnId } of claimed) claims.turnIds.add(turnId)
      return claimed
    } finally {
      claims.underWay -= 1
    }
  })
}

function withClaim(source: StoreSource, change: (claim: Store['claim']) => Store['claim']): StoreSource {
  return {
    ...source,
    open: async log => {
      const store = await source.open(log)
      return { ...store, claim: change(store.claim) }
    },
  }
}
