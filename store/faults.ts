// What an error of a driver means: to be sent again, the store out of reach, tables missing, or a refusal of this very statement.

import { ToolturnError } from '../machines/errors.ts'

type DriverError = { readonly code?: unknown; readonly message?: unknown; readonly constraint?: unknown; readonly table?: unknown }

/** Deadlock, serialization, a cancelled statement, and whatever says that the server or the way to it is gone for now. */
const AGAIN = /^(40P01|40001|57014|57P0[1-5]|53300|25006|55P03|08...)$/
const LOST_CODE = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_)/
const LOST_TEXT = new RegExp(
  `^(${[
    'Connection terminated',
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Query read timeout',
    'Client has encountered a connection error',
    'Client was closed',
  ].join('|')})`,
)
/** Not let in: the password, the role, or a database that is not there. */
const NO_ENTRY = /^(28...|3D000)$/
const CLOSED_TEXT = /^(Cannot use a pool after|PGlite (instance )?is (already )?closed)/
const MISSING_TABLES = /^(42P01|3F000)$/

/** True where the same statement may well succeed later. Says nothing about whether this one was committed. */
export function isPassing(error: unknown): boolean {
  const { code, message } = parts(error)
  return AGAIN.test(code) || LOST_CODE.test(code) || LOST_TEXT.test(message) || isAggregate(error)
}

/**
 * The typed error for one of a driver. The driver's own text stays out of it: it may quote rows, and rows hold content.
 */
export function typedError(error: unknown): ToolturnError {
  if (error instanceof ToolturnError) return error
  const { code, message, place } = parts(error)
  if (CLOSED_TEXT.test(message)) return storeClosed()
  if (isPassing(error) || NO_ENTRY.test(code)) return new ToolturnError('store_unreachable', '', { reason: code || message })
  if (MISSING_TABLES.test(code)) return new ToolturnError('schema_unmigrated', '', { sqlstate: code })
  return new ToolturnError('internal', `The store refused a statement (${code || 'no code'}).`, { sqlstate: code, ...place })
}

export function storeClosed(): ToolturnError {
  return new ToolturnError('store_unreachable', 'The store was closed.')
}

const TRIES = 3

/** Runs what may be run twice: tries again where the fault passes, and gives typed errors. */
export async function repeatable<T>(work: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await work()
    } catch (error) {
      if (tried >= TRIES || !isPassing(error)) throw typedError(error)
    }
    await pause(20 * tried)
  }
}

/** Runs what may not be run twice, with typed errors. */
export async function once<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw typedError(error)
  }
}

/** Resolves after so many milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}

function parts(error: unknown): { code: string; message: string; place: { constraint?: string; table?: string } } {
  if (typeof error !== 'object' || error === null) return { code: '', message: '', place: {} }
  const { code, message, constraint, table } = error as DriverError
  return {
    code: typeof code === 'string' ? code : '',
    message: typeof message === 'string' ? message : '',
    place: { ...(typeof constraint === 'string' && { constraint }), ...(typeof table === 'string' && { table }) },
  }
}

/** A host with several addresses, none of which answers. */
function isAggregate(error: unknown): boolean {
  return error instanceof AggregateError && error.errors.every(isPassing)
}
