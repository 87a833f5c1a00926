// Goal: a worker that dies anywhere leaves nothing undone, done twice or untold, on Postgres and NATS.

import { describeWithServers } from '../servers.ts'
import { describeKills } from './kill-suite.ts'
import { listenAt } from './listener.ts'

describeWithServers('on Postgres and NATS', ({ postgres, nats }) => {
  describeKills('what killed workers leave behind', { store: postgres, bus: nats, inProcess: false }, listenAt)
})
