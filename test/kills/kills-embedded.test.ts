// Goal: a worker that dies anywhere leaves nothing undone or done twice, on the embedded store.

import { describeKills } from './kill-suite.ts'

describeKills('what killed workers leave behind on the embedded store', { store: 'pglite:', bus: 'memory:', inProcess: false })
