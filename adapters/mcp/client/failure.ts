// What a failure of the line may be called: a word of the library or of the system, never what the server wrote.

import { ProtocolError, SdkError, SdkHttpError } from '@modelcontextprotocol/client'
import { errorName } from '../../../machines/errors.ts'

/** For a log line or the details of an error. */
export function reasonOf(error: unknown): string {
  if (SdkHttpError.isInstance(error)) return `HTTP ${error.status}`
  if (SdkError.isInstance(error)) return error.code
  if (ProtocolError.isInstance(error)) return `JSON-RPC ${error.code}`
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown }
  if (typeof code === 'string') return code
  const { code: deeper } = (cause ?? {}) as { readonly code?: unknown }
  return typeof deeper === 'string' ? deeper : errorName(error)
}
