// A store that is named and not yet opened: what a host writes into its configuration.

import type { StoreHealth } from '../machines/ports/rows.ts'
import type { Store } from '../machines/ports/store.ts'
import type { Log } from '../machines/ports/world.ts'

export type StoreSource = {
  readonly kind: StoreHealth['kind']
  /** Connects. Rejects with `store_unreachable`, `store_locked`, `schema_unmigrated` or `schema_newer`. */
  readonly open: (log: Log) => Promise<Store>
}
