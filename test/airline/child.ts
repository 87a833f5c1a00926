// The process of a worker that plays the recorded agent.

import { serve } from '../kills/serve.ts'
import { castOf } from './cast.ts'
import { readRecorded } from './recorded.ts'

const recorded = readRecorded()
if (recorded !== null) serve(castOf(recorded))
