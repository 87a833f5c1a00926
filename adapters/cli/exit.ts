// How a command ends: its exit code, and one clear block for an error, with whose move it is. Never a stack unless asked for.

import { CommanderError } from 'commander'
import { ERROR_PAGES, isErrorCode, ToolturnError, type ErrorCode, type ErrorPage } from '../../machines/errors.ts'
import { factOf, facts, indent, safeJson, safeText } from './text.ts'

/** `failed`: the thing that was asked about failed or differs. `unreachable`: the store or the bus could not be used. */
export const EXIT = { done: 0, failed: 1, usage: 2, unreachable: 3 } as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** An error as it is printed. */
export type Report = {
  readonly exit: ExitCode
  readonly code: ErrorCode
  readonly message: string
  readonly whoseMove: ErrorPage['whoseMove']
  readonly mend: string
  readonly turnId: string | null
  readonly details: { readonly [name: string]: unknown }
  readonly stack: string | null
}

const USAGE: readonly ErrorCode[] = ['option_invalid', 'tool_name_duplicate', 'replay_policy_missing', 'scenario_invalid']
const UNREACHABLE: readonly ErrorCode[] = ['store_unreachable', 'store_locked', 'schema_unmigrated', 'bus_unreachable']

/** What is said of anything that was thrown. */
export function reportOf(thrown: unknown): Report {
  if (thrown instanceof CommanderError) return typedReport(wrongWords(thrown))
  return isTyped(thrown) ? typedReport(thrown) : internalReport(thrown)
}

/** Words that the reader of arguments could not place. It says itself what is wrong, and what is close. */
function wrongWords(thrown: CommanderError): ToolturnError {
  const message = thrown.message.replace(/^error: /, '').replaceAll('\n', ' ')
  return new ToolturnError('option_invalid', message, { expected: 'see `toolturn <verb> --help`' })
}

/** An error of the runtime, known by its code: a module of the user may have loaded a copy of its own of the class. */
type Typed = Error & { readonly code: ErrorCode; readonly turnId?: string; readonly details?: { readonly [name: string]: unknown } }

function isTyped(thrown: unknown): thrown is Typed {
  if (!(thrown instanceof Error) || thrown.name !== 'ToolturnError') return false
  const { code } = thrown as { code?: unknown }
  return typeof code === 'string' && isErrorCode(code)
}

function typedReport(thrown: Typed): Report {
  const { code, message, turnId = null, details = {} } = thrown
  const { whoseMove, mend } = ERROR_PAGES[code]
  return { exit: exitOf(code, turnId), code, message, whoseMove, mend, turnId, details, stack: stackOf(thrown) }
}

function exitOf(code: ErrorCode, turnId: string | null): ExitCode {
  if (USAGE.includes(code)) return EXIT.usage
  // A newer stream is a fact about its turn; a newer database is one that cannot be used.
  if (UNREACHABLE.includes(code) || (code === 'schema_newer' && turnId === null)) return EXIT.unreachable
  return EXIT.failed
}

/** Something nobody foresaw. Its text may quote what it stumbled over, so only its kind is printed unless the stack is asked for. */
function internalReport(thrown: unknown): Report {
  const kind = thrown instanceof Error ? thrown.name : typeof thrown
  const { what, whoseMove, mend } = ERROR_PAGES.internal
  const message = `${what} (${kind})`
  return { exit: EXIT.failed, code: 'internal', message, whoseMove, mend, turnId: null, details: {}, stack: stackOf(thrown) }
}

function stackOf(thrown: unknown): string | null {
  if (!(thrown instanceof Error)) return null
  const cause = stackOf(thrown.cause)
  return `${thrown.stack ?? thrown.message}${cause === null ? '' : `\ncaused by ${cause}`}`
}

/** The block that people read: the code, what happened, whose move it is, and how to mend it. */
export function reportText({ code, message, whoseMove, mend, turnId, details, stack }: Report, withStack: boolean): string {
  const rows = [
    ...(turnId === null ? [] : [factOf('turn', turnId)]),
    ...Object.entries(details).map(([name, value]) => factOf(name, value)),
    factOf('move', whoseMove),
    factOf('mend', mend),
  ]
  const block = `toolturn: ${code}: ${safeText(message)}\n${indent(facts(rows), 2)}`
  return withStack && stack !== null ? `${block}\n${safeText(stack)}` : block
}

/** The same for programs. */
export function reportJson({ exit, code, message, whoseMove, mend, turnId, details, stack }: Report, withStack: boolean): string {
  const error = { code, message, whoseMove, mend, turnId, details, exit, ...(withStack ? { stack } : {}) }
  return safeJson({ error })
}
