// The process of a worker that plays the plans of these tests.

import { castOf } from './cast.ts'
import { serve } from './serve.ts'

serve(castOf)
