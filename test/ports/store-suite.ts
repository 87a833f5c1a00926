// The suite of the store port: every implementation passes all of it. Each part tests the sentences of one part of the port.

import { afterAll, beforeAll } from 'vitest'
import { stageOn, type Stage, type StoreUnderTest } from './stage.ts'
import { appendSuite } from './store-suite-append.ts'
import { blobSuite } from './store-suite-blobs.ts'
import { claimSuite } from './store-suite-claim.ts'
import { clockSuite } from './store-suite-clock.ts'
import { feedSuite } from './store-suite-feed.ts'
import { inboxSuite } from './store-suite-inbox.ts'
import { leaseSuite } from './store-suite-lease.ts'
import { listSuite } from './store-suite-list.ts'
import { openSuite } from './store-suite-open.ts'
import { outboxSuite } from './store-suite-outbox.ts'
import { patienceSuite } from './store-suite-patience.ts'
import { recordSuite } from './store-suite-record.ts'

/**
 * Call inside a `describe`. All tests share one database, as all tenants of a server do; each has a stage of its own.
 *
 * @param start gives an empty, migrated store; its handles are closed when the suite is done
 */
export function storeSuite(start: () => Promise<StoreUnderTest>): void {
  let under: StoreUnderTest
  const stage = (): Stage => stageOn(under)

  beforeAll(async () => {
    under = await start()
  }, 300_000)
  afterAll(async () => {
    for (const store of new Set(under?.stores)) await store.close()
  })

  clockSuite(stage)
  openSuite(stage)
  appendSuite(stage)
  recordSuite(stage)
  blobSuite(stage)
  claimSuite(stage)
  patienceSuite(stage)
  leaseSuite(stage)
  inboxSuite(stage)
  listSuite(stage)
  feedSuite(stage)
  outboxSuite(stage)
}
