// The histories of a file: one, in whatever it is wrapped, or many, one of each line or item.

import { ToolturnError } from '../../../machines/errors.ts'
import { isJsonObject, type Json } from '../../../machines/json.ts'
import { shownPath, type Finding } from '../finding.ts'
import { readJsonFile, type Read } from '../json-file.ts'
import { repeatedKeys } from '../repeated-keys.ts'
import { checkHistory, type Checked } from './check.ts'
import type { TranscriptFormat } from './format.ts'
import { listOf } from './parts.ts'
import { TRANSCRIPT_WORDS } from './words.ts'

/** The messages of one history, and how the message of an index is called. */
type History = { readonly messages: readonly Json[]; readonly place: (message: number) => string }

/** Members under which requests, responses and records keep their messages; what was asked stands before what was answered. */
const LISTS = ['messages', 'history', 'items', 'input', 'output', 'choices']

/**
 * Checks every history of a file: a JSON array of messages, an object that holds one, a list of either, or lines of them.
 *
 * @throws ToolturnError `option_invalid` where it is no JSON, or holds no messages
 */
export function checkFile(path: string, format?: TranscriptFormat): readonly Checked[] {
  const read = readJsonFile('file', path)
  const [first] = read
  const histories = read.length === 1 && first?.line === null ? historiesOf(first.value, '') : historiesOfLines(read)
  if (histories.every(({ messages }) => messages.length === 0)) {
    throw new ToolturnError(
      'option_invalid',
      `The file ${path} holds no messages: a list of them is expected, or an object with \`messages\`.`,
      { option: 'file', path },
    )
  }
  const [one, ...more] = histories.map(({ messages, place }) => checkHistory(messages, format, place))
  return one === undefined ? [] : [{ ...one, findings: [...read.flatMap(keyFindings), ...one.findings] }, ...more]
}

function historiesOfLines(read: readonly Read[]): readonly History[] {
  const values = read.map(({ value }) => value)
  if (!values.every(holdsMessages)) return [{ messages: values, place: index => `line ${read[index]?.line}: ` }]
  return read.flatMap(({ value, line }) => historiesOf(value, `line ${line}: `))
}

/** Lists of lists are looked into as far as that. */
const MAX_LEVELS = 3

/** A list of messages, an object around one, or a list of such: what the place of each begins with is in front of it. */
function historiesOf(value: Json, before: string, level = 0): readonly History[] {
  if (Array.isArray(value)) {
    const items = value as readonly Json[]
    const holdsHistories = level < MAX_LEVELS && items.length > 0 && items.every(holdsMessages)
    if (holdsHistories) return items.flatMap((item, index) => historiesOf(item, `${before}[${index}]`, level + 1))
    return [{ messages: items, place: index => `${before}[${index}]` }]
  }
  if (!isJsonObject(value)) return []
  if (isMessage(value)) return [{ messages: [value], place: () => before }]
  if (!holdsMessages(value)) return []
  const inside = before.endsWith(']') ? `${before}.` : before
  const found = LISTS.flatMap(name => listOf(value[name]).map((message, index) => ({ message, at: `${inside}${name}[${index}]` })))
  return [{ messages: found.map(({ message }) => message), place: index => found[index]?.at ?? inside }]
}

function holdsMessages(value: Json): boolean {
  return Array.isArray(value) || (isJsonObject(value) && !isMessage(value) && LISTS.some(name => Array.isArray(value[name])))
}

/** Some messages have an `output` or an `input` of their own; what has a role, a kind or a protocol is one message. */
function isMessage(value: Json): boolean {
  if (!isJsonObject(value)) return false
  return typeof value['role'] === 'string' || typeof value['call_id'] === 'string' || value['jsonrpc'] !== undefined
}

function keyFindings({ text, line }: Read): readonly Finding[] {
  const { severity, rule, mend } = TRANSCRIPT_WORDS['keys-repeated']
  const what = 'An object holds the same key twice.'
  return repeatedKeys(text).map(path => ({
    severity,
    finding: 'keys-repeated',
    rule,
    tool: null,
    path: shownPath(`${line === null ? '' : `line ${line}: `}${path}`),
    what,
    mend,
  }))
}
