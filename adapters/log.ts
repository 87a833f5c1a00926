// Where log lines go. They hold ids, positions, names, sizes and codes, never content.

import type { JsonObject } from '../machines/json.ts'
import type { Log } from '../machines/ports/world.ts'

export const silentLog: Log = { info: () => {}, warn: () => {}, error: () => {} }

/** A log that disturbs nobody: what it throws, or rejects with, is left where it is, since there is nowhere to tell it. */
export function harmless(log: Log): Log {
  const tell = (level: keyof Log) => (message: string, fields?: JsonObject) => {
    try {
      const told: unknown = log[level](message, fields)
      if (told instanceof Promise) told.catch(() => undefined)
    } catch {
      return
    }
  }
  return { info: tell('info'), warn: tell('warn'), error: tell('error') }
}

/** One JSON object a line. @param write for example `line => process.stderr.write(line)` */
export function lineLog(write: (line: string) => void): Log {
  const say =
    (level: string) =>
    (message: string, fields: JsonObject = {}) =>
      write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })}\n`)
  return { info: say('info'), warn: say('warn'), error: say('error') }
}
