// `cancel`: nothing more is started in a turn, and it ends.

import { withConfig, type ConfigFlags } from '../config.ts'
import { acting } from '../drive.ts'
import { personHere } from '../person.ts'
import { command, verb, type Verb } from '../verb.ts'
import { withWhere, type WhereFlags } from '../where.ts'

const words = command('cancel', 'Start nothing more in a turn, and end it', 'cancel 0190a0b0-0000-7000-8000-000000000000').argument(
  '<turn>',
  'its id',
)

export const cancel: Verb = verb<WhereFlags & ConfigFlags>(withConfig(withWhere(words)), async ({ words: [turnId = ''], flags, out }) =>
  acting(flags, out, async ({ runtime, tenant }) => {
    await runtime.cancel(turnId, { as: personHere(), via: 'app', tenant })
    return { turnId }
  }),
)
