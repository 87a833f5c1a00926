// Goal: a worker that is stopped past its lease and wakes up knows by its own clock that the lease is over. Here the real lease runs
// out, so the worker neither writes nor starts what it had just recorded that it would.

import { describeWithPostgres } from '../servers.ts'
import { BEFORE_THE_INTENT, BEFORE_THE_START, BEHIND_THE_EFFECT, describeStopped, IN_THE_TOOL } from './stopped-suite.ts'

describeWithPostgres('on Postgres', postgres => {
  const everywhere = [...BEFORE_THE_INTENT, ...BEFORE_THE_START, ...IN_THE_TOOL, ...BEHIND_THE_EFFECT]
  describeStopped('a worker whose lease ran out', postgres, 'over', everywhere)
})
