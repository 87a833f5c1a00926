// The checker for any recorded history (G5): reads it, looks at every rule, and says what it found in the order of the messages.

import { refuse } from '../../../machines/runtime/door.ts'
import type { Finding } from '../finding.ts'
import { contentFindings, reusedIds } from './contents.ts'
import { dialectOf, isFormat, type TranscriptFormat } from './format.ts'
import { pairingFindings } from './pairing.ts'
import type { Found } from './words.ts'

export type Checked = {
  /** The format it was read as, as it is called in sentences. */
  readonly format: string
  readonly messages: number
  readonly findings: readonly Finding[]
}

/**
 * Checks that a history pairs each call with its one result, right behind it, and that calls and results can be read (B3, G5).
 * Knows Anthropic Messages, OpenAI Chat Completions and Responses items, MCP sampling messages and sessions, and the
 * messages of this package. Changes nothing and runs nothing.
 *
 * @param messages as they are sent, or as they were recorded, the oldest first
 * @param format seen from the messages where it is not given
 * @returns what was found, in the order of the messages; an error is what a provider refuses, or what has lost a call or a result
 * @throws ToolturnError `option_invalid`
 */
export function checkTranscript(messages: readonly unknown[], format?: TranscriptFormat): readonly Finding[] {
  if (!Array.isArray(messages)) refuse('messages', 'a list of messages')
  if (format !== undefined && !isFormat(format)) refuse('format', 'anthropic, openai, mcp or toolturn')
  return checkHistory(messages, format, message => `[${message}]`).findings
}

/** @param place how the message of an index is called */
export function checkHistory(
  messages: readonly unknown[],
  format: TranscriptFormat | undefined,
  place: (message: number) => string,
): Checked {
  const dialect = dialectOf(messages, format)
  const steps = dialect.read(messages)
  const read = steps.filter(step => step.kind !== 'unread')
  // A call in one format and its result in another would both be found alone: that is said of the formats.
  const oneFormat = steps.every(step => step.kind !== 'unread' || !step.foreign)
  const paired = oneFormat ? pairingFindings(read, dialect.late) : []
  const all: readonly Found[] = [
    ...paired,
    ...reusedIds(steps, dialect.reused),
    ...contentFindings(steps, read.length === 0 ? 'error' : 'warning'),
  ]
  const findings = all
    .toSorted((a, b) => a.at.message - b.at.message)
    .map(({ at, finding: { severity, finding, rule, tool, what, mend } }) => ({
      severity,
      finding,
      rule,
      tool,
      path: pathOf(place(at.message), at.inside),
      what,
      mend,
    }))
  return { format: dialect.name, messages: messages.length, findings }
}

/** A place in a file may be a line, or nothing where the file is one message. */
function pathOf(place: string, inside: string): string {
  if (/[\w\]]$/.test(place)) return `${place}${inside}`
  return inside === '' ? place.replace(/: $/, '') : `${place}${inside.replace(/^\./, '')}`
}
