// Goal: a worker that is stopped past its lease and wakes up finds its turns fenced. Here somebody ended its lease meanwhile, so it
// wakes up believing in it, and only the epoch keeps it from writing.

import { describeWithPostgres } from '../servers.ts'
import { BEFORE_THE_INTENT, BEHIND_THE_EFFECT, describeStopped, IN_THE_TOOL, WITH_THE_TURN_ONLY_CLAIMED } from './stopped-suite.ts'

describeWithPostgres('on Postgres', postgres => {
  const everywhere = [...BEFORE_THE_INTENT, ...IN_THE_TOOL, ...BEHIND_THE_EFFECT, ...WITH_THE_TURN_ONLY_CLAIMED]
  describeStopped('a worker whose lease was ended', postgres, 'ended', everywhere)
})
