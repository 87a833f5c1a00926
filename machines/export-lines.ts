// The lines of an audit file: their shapes, and how a file's bytes come apart into them. Strict, so that no changed byte passes.

import Type, { type Static } from 'typebox'
import { ToolturnError } from './errors.ts'
import type { StoredEvent } from './events.ts'
import { AnyJson, AnyObject, closed, Count, FromOne, literals } from './events/shapes.ts'
import { canonicalJson } from './json.ts'
import { parseJson } from './json-text.ts'
import { misfit } from './misfit.ts'

/** The format that this release writes. A reader refuses newer ones. */
export const EXPORT_FORMAT = 1

const Hex = Type.String({ pattern: '^[0-9a-f]{64}$' })

const Stored = closed({
  turnId: Type.String(),
  version: FromOne,
  type: Type.String(),
  schemaVersion: FromOne,
  time: Type.String(),
  tenant: Type.String(),
  actor: AnyObject,
  worked: Type.Number(),
  previousHash: Hex,
  hash: Hex,
  data: AnyJson,
  salt: Type.Union([Type.String({ pattern: '^[0-9a-f]{32}$' }), Type.Null()]),
  dataHash: Hex,
})

const Header = closed({ export: closed({ of: literals('toolturn'), format: FromOne, at: Type.String(), asked: AnyObject }) })
/** A turn and its end, by its row; its events stand behind it. What was appended meanwhile may stand there too. */
const TurnOfFile = closed({ turn: closed({ turnId: Type.String(), tenant: Type.String(), version: FromOne, head: Hex }) })
/** `digest`: SHA-256 over the lines before, each with its line feed, hexadecimal. */
const End = closed({ end: closed({ turns: Count, events: Count, digest: Hex }) })
/** `escaped`: the event holds lone surrogates, written as `\udXXX`, which stricter readers of JSON may refuse. */
const EventOfTurn = closed({ event: Stored, escaped: Type.Optional(Type.Literal(true)) })

export type HeaderLine = Static<typeof Header>
export type TurnLine = Static<typeof TurnOfFile>
export type EndLine = Static<typeof End>
export type EventLine = { readonly event: StoredEvent; readonly escaped?: true }
export type ExportLine = HeaderLine | TurnLine | EventLine | EndLine

const AnyLine = Type.Union([EventOfTurn, TurnOfFile, Header, End])

/** The line of an event, as text. */
export function eventText(event: StoredEvent): string {
  const text = canonicalJson(event)
  return holdsLoneSurrogates(text) ? `{"escaped":true,"event":${text}}` : `{"event":${text}}`
}

/** Canonical text writes a lone surrogate as an escape, and nothing else as an escape of that range. */
function holdsLoneSurrogates(canonical: string): boolean {
  return /(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(canonical)
}

/**
 * Reads a line.
 *
 * @param number from 1, for the error
 * @throws ToolturnError `export_invalid` for a text that no export writes, down to the order of its keys
 */
export function readLine(text: string, number: number): ExportLine {
  const value = parsed(text)
  if (misfit(AnyLine, value) !== null) throw exportInvalid(number, 'is none of an export')
  const line = value as ExportLine
  const written = 'event' in line ? eventText(line.event) : canonicalJson(line)
  if (written !== text) throw exportInvalid(number, 'is not written as an export writes it')
  return line
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined // no JSON: none of ours
  }
}

export function exportInvalid(line: number, why: string): ToolturnError {
  return new ToolturnError('export_invalid', `Line ${line} ${why}.`, { line })
}

/** A line is an event, and an event is bounded. */
const LINE_CHARACTERS = 64 * 1024 * 1024
const LINE_FEED = '\n'

/**
 * The lines of a file, from its bytes.
 *
 * @throws ToolturnError `export_invalid` for bytes that are no UTF-8, a last line without its line feed, a line out of all bounds
 */
export async function* linesOf(chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let begun: string[] = []
  let number = 1
  for await (const chunk of chunks) {
    const [first = '', ...others] = decode(decoder, chunk, number).split(LINE_FEED)
    begun.push(first)
    const length = begun.reduce((sum, part) => sum + part.length, 0)
    if (length > LINE_CHARACTERS) throw exportInvalid(number, 'is longer than any line of an export')
    for (const next of others) {
      yield begun.join('')
      number += 1
      begun = [next]
    }
  }
  if (begun.join('') + decode(decoder, undefined, number) !== '') throw exportInvalid(number, 'is cut off')
}

/** @param chunk undefined at the end: bytes that wait for more are no UTF-8 then */
function decode(decoder: TextDecoder, chunk: Uint8Array | undefined, number: number): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined })
  } catch {
    throw exportInvalid(number, 'or one close behind it is not UTF-8')
  }
}
