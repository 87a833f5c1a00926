// Goal: a worker that dies anywhere leaves nothing undone or done twice, on the embedded store.

import { describeKills } from './kill-suite.ts'
import { makeRoom } from './room.ts'

describeKills('what killed workers leave behind on the embedded store', leaving => makeRoom('embedded', null, leaving))
