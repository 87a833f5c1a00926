// What a command prints, and where: answers on stdout and nothing else there; words about the work on stderr.

import { styleText } from 'node:util'
import { safeJson, safeJsonText, safeLine, safeText, table } from './text.ts'

/** Where a command writes. Writes resolve when the system took them. */
export type Output = {
  readonly json: boolean
  /** One answer: JSON in one line, or text for people. Of a stream it is one of many. */
  readonly answer: (value: unknown, text: () => string) => Promise<void>
  /** One answer that people read as a table. */
  readonly table: (value: unknown, head: readonly string[], rows: readonly (readonly string[])[]) => Promise<void>
  /** Bytes of a file as they are; only what a terminal shows is made safe. */
  readonly raw: (text: string) => Promise<void>
  /** A sentence to whoever watches. Never content. */
  readonly note: (text: string) => void
  /** True where somebody watches progress. */
  readonly watched: boolean
  /** What is being done, written over again and again; only where somebody watches. */
  readonly progress: (text: string) => void
  /** Styles text for stdout, where it is a terminal that shows colours. */
  readonly ink: Ink
}

export type Ink = (style: 'bold' | 'dim' | 'green' | 'yellow' | 'red', text: string) => string

/** Thrown where nobody reads any more: the command lets go of everything and ends without a word. */
export class ReaderGoneError extends Error {}

const WIPE = '\r\u001b[2K'
/** Of a terminal that does not say how wide it is. */
const COLUMNS = 80

export function terminalOutput(json: boolean): Output {
  const { stdout, stderr } = process
  const watched = stderr.isTTY === true && !json
  let shown = false
  const wipe = () => {
    if (shown) stderr.write(WIPE)
    shown = false
  }
  const write = (text: string) => {
    wipe()
    return written(stdout, text)
  }
  const answer: Output['answer'] = (value, text) => write(`${json ? safeJson(value) : text()}\n`)
  const note = (text: string) => {
    wipe()
    stderr.write(`${safeText(text)}\n`)
  }
  const ink: Ink = (style, text) => (json ? text : styleText(style, text, { stream: stdout }))
  return {
    json,
    watched,
    answer,
    note,
    ink,
    table: async (value, head, rows) => {
      if (json || rows.length > 0) await answer(value, () => inked(table(head, rows), ink))
      else note('There are none.')
    },
    raw: text => write(stdout.isTTY ? safeJsonText(text) : text),
    progress: text => {
      if (!watched) return
      wipe()
      stderr.write(safeLine(text).slice(0, (stderr.columns || COLUMNS) - 1))
      shown = true
    },
  }
}

/** The head of a table stands out. */
function inked(text: string, ink: Ink): string {
  const [head = '', ...rows] = text.split('\n')
  return [ink('bold', head), ...rows].join('\n')
}

/** @throws ReaderGoneError when the other end of the pipe was closed */
function written(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error?: NodeJS.ErrnoException | null) => {
      if (error == null) resolve()
      else reject(error.code === 'EPIPE' ? new ReaderGoneError() : error)
    })
  })
}
