// Goal: a worker that dies anywhere leaves nothing undone, done twice or untold, on Postgres and NATS.

import { describeWithServers, freshPrefix, freshSchema } from '../servers.ts'
import { describeKills } from './kill-suite.ts'
import { listenAt } from './listener.ts'
import { makeRoom } from './room.ts'

describeWithServers('on Postgres and NATS', ({ postgres, nats }) => {
  const enter = (leaving: AsyncDisposableStack) =>
    makeRoom({ url: postgres, schema: freshSchema() }, { url: nats, prefix: freshPrefix() }, leaving)
  describeKills('what killed workers leave behind', enter, listenAt)
})
