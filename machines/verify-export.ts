// An audit file verified offline: the same checks as in a store, each finding with its line. A file that was cut off or changed
// is refused as a whole.

import { createHash } from 'node:crypto'
import { ToolturnError } from './errors.ts'
import {
  EXPORT_FORMAT,
  exportInvalid,
  readLine,
  type EndLine,
  type EventLine,
  type ExportLine,
  type HeaderLine,
  type TurnLine,
} from './export-lines.ts'
import type { VerifyFinding, VerifyResult } from './runtime/api.ts'
import { checkNext, compareEnd, compareHead, startCheck, type Claim, type StreamCheck } from './verify.ts'

export type ExportFinding = VerifyFinding & { readonly line: number }
export type ExportVerified = Omit<VerifyResult, 'findings'> & {
  readonly unjudged: number
  readonly findings: readonly ExportFinding[]
  /** What the file says of itself: when it was written, by the clock of its store, and what was asked for. */
  readonly header: HeaderLine['export']
}

/** More damage than this in one file is counted in `ok` only. */
const MOST_FINDINGS = 10_000

type Reading = {
  readonly digest: ReturnType<typeof createHash>
  readonly findings: ExportFinding[]
  header: HeaderLine['export'] | null
  end: EndLine['end'] | null
  /** The turn that is being read, as the file and as its events say it. */
  turn: { readonly claim: Claim; readonly line: number; check: StreamCheck } | null
  sums: { turns: number; events: number; erased: number; unjudged: number; damaged: number }
}

/**
 * Verifies the lines of an export, without their line feeds.
 *
 * @throws ToolturnError `export_invalid` with the first line that is wrong, `schema_newer` for a newer format
 */
export async function verifyExport(lines: Iterable<string> | AsyncIterable<string>): Promise<ExportVerified> {
  const reading: Reading = {
    digest: createHash('sha256'),
    findings: [],
    header: null,
    end: null,
    turn: null,
    sums: { turns: 0, events: 0, erased: 0, unjudged: 0, damaged: 0 },
  }
  let number = 0
  for await (const text of lines) {
    number += 1
    readOn(reading, readLine(text, number), text, number)
  }
  closeTurn(reading)
  const { header, end, findings, sums } = reading
  if (header === null || end === null) throw exportInvalid(number + 1, 'is missing: the file was cut off')
  const { turns, events, erased, unjudged, damaged } = sums
  if (end.digest !== reading.digest.digest('hex') || end.turns !== turns || end.events !== events) {
    throw exportInvalid(findings[0]?.line ?? number, 'was changed, or one before it: the file is not what its end says')
  }
  return { ok: damaged === 0, turns, events, erased, unjudged, findings, header }
}

function readOn(reading: Reading, line: ExportLine, text: string, number: number): void {
  if ('export' in line !== (number === 1)) throw exportInvalid(number, number === 1 ? 'is no header of an export' : 'is a second header')
  if (reading.end !== null) throw exportInvalid(number, 'stands behind the end')
  if ('end' in line) {
    reading.end = line.end
    return
  }
  reading.digest.update(text).update('\n')
  if ('export' in line) reading.header = headerOf(line)
  else if ('turn' in line) openTurn(reading, line, number)
  else readEvent(reading, line, number)
}

function headerOf({ export: header }: HeaderLine): HeaderLine['export'] {
  if (header.format <= EXPORT_FORMAT) return header
  const { format } = header
  throw new ToolturnError('schema_newer', `The file is of export format ${format}, and this release reads ${EXPORT_FORMAT}.`, { format })
}

function openTurn(reading: Reading, { turn: claim }: TurnLine, line: number): void {
  closeTurn(reading)
  reading.turn = { claim, line, check: startCheck(claim.turnId) }
}

function readEvent(reading: Reading, { event }: EventLine, line: number): void {
  const { turn } = reading
  if (turn === null) throw exportInvalid(line, 'stands behind no turn')
  const before = turn.check.findings.length
  turn.check = checkNext(turn.check, event)
  note(reading, turn.check.findings.slice(before), line)
  if (event.version === turn.claim.version) note(reading, compareHead(turn.claim, turn.check), line)
}

/** Another turn begins, or the file ends. */
function closeTurn(reading: Reading): void {
  const { turn, sums } = reading
  if (turn === null) return
  const { claim, check, line } = turn
  note(reading, compareEnd(claim, check), line)
  sums.turns += 1
  sums.events += check.events
  sums.erased += check.erased
  sums.unjudged += check.unjudged
}

function note(reading: Reading, found: readonly VerifyFinding[], line: number): void {
  reading.sums.damaged += found.length
  const room = MOST_FINDINGS - reading.findings.length
  reading.findings.push(...found.slice(0, room).map(finding => ({ ...finding, line })))
}
