// The runtime's log on stderr: a line for people, or one of JSON. It holds no content.

import type { JsonObject } from '../../machines/json.ts'
import type { Log } from '../../machines/ports/world.ts'
import { lineLog, silentLog } from '../log.ts'
import type { Output } from './output.ts'
import { safeJson } from './text.ts'

/** @param least a command that is soon over says only what went wrong */
export function logTo(out: Output, least: 'info' | 'warn'): Log {
  const log = out.json ? lineLog(line => out.note(line.trimEnd())) : humanLog(out)
  return least === 'info' ? log : { ...log, info: silentLog.info }
}

function humanLog(out: Output): Log {
  const say =
    (level: string) =>
    (message: string, fields: JsonObject = {}) => {
      const named = Object.entries(fields).map(([name, value]) => `${name}=${typeof value === 'string' ? value : safeJson(value)}`)
      out.note([new Date().toISOString(), level, message, ...named].join('  '))
    }
  return { info: say('info '), warn: say('warn '), error: say('error') }
}
