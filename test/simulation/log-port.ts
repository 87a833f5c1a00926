// The log of a simulated process. Its lines stand among what happened; some of them must never come.

import { canonicalJson } from '../../machines/json.ts'
import type { Log } from '../../machines/ports/world.ts'
import type { Process } from './process.ts'
import { SECRET, type Stage } from './stage.ts'

export function logPort(stage: Stage, process: Process): Log {
  const say =
    (level: string): Log['info'] =>
    (message, fields = {}) => {
      if (process.life.isDead()) return
      const text = canonicalJson(fields)
      stage.trace.say(process.name, `${level}: ${message} ${text}`)
      if (text.includes(SECRET) || message.includes(SECRET)) stage.broken('D11: a secret is logged')
      const { error } = fields
      if (typeof error === 'string' && isOurFault(stage, message, error)) stage.broken(`${process.name} logs: ${message} ${text}`)
    }
  return { info: say('info'), warn: say('warn'), error: say('error') }
}

/** What a drive or a claim may fail with is that the store was away, busy, or refused; anything else is a fault of the loop. */
function isOurFault({ plan }: Stage, message: string, error: string): boolean {
  if (!message.startsWith('a drive failed') && !message.startsWith('a claimed turn') && !message.startsWith('a turn could not'))
    return false
  const outside = [plan.storeOutages && 'store_unreachable', plan.busy > 0 && 'store_busy', plan.refuseRecord > 0 && 'Error']
  return !outside.includes(error)
}
