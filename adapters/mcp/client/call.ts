// One call of a server's tool. It is sent once: whatever becomes of the line, it is not sent again from here.

import {
  isInputRequiredResult,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type CallToolResult,
  type Tool as ListedTool,
} from '@modelcontextprotocol/client'
import type { JsonObject } from '../../../machines/json.ts'
import { cutText } from '../../../machines/text.ts'
import type { CallContext, ReplayPolicy, ToolResult } from '../../../machines/tool.ts'
import type { Connection } from './connection.ts'
import { reasonOf } from './failure.ts'
import { ASKS, inquiryOf, responsesTo, unaskedText, type Parts, type Requests } from './input-required.ts'
import type { Link } from './link.ts'
import { STREAM_ENDED } from './transport.ts'

/** What a call needs to know of its tool. */
export type Called = {
  readonly definition: Pick<ListedTool, 'name' | 'inputSchema'>
  readonly replayPolicy: ReplayPolicy
  readonly timeoutMs: number
}

/** The call's own name, by which a server may know it again (D1). */
const KEY = 'toolturn/key'
/** The runtime ends a call at its time-out; the library's own comes later, so that it never does. */
const LATER_MS = 5_000
const TIMER_MS = 2_147_483_647
const MOST_CHARACTERS = 2_000
/** Messages of one call in which the server only wants its own state back. */
const MOST_PASSES = 4

/**
 * Calls the tool and waits: for its result, or for what the server wants to know of the acting person first.
 *
 * @throws Error where there was no answer, in words that say whether anything was sent
 */
export async function callOver(link: Link, called: Called, args: JsonObject, call: CallContext): Promise<unknown> {
  const connection = await link.connected(call.signal).catch((error: unknown) => {
    throw new Error(`The server could not be reached (${reasonOf(error)}). Nothing was sent to it.`, { cause: error })
  })
  try {
    return await connection.during(() => converse(connection, called, args, call))
  } catch (error) {
    if (call.signal.aborted) throw error
    const answered = answerIn(error)
    if (answered !== null) return answered
    link.giveUp(connection)
    throw new Error(lostText(error, called.replayPolicy), { cause: error })
  }
}

/** With what was answered to the last inquiry of this call, the server goes on where it was; it may inquire again. */
async function converse({ client }: Connection, called: Called, args: JsonObject, call: CallContext): Promise<unknown> {
  const asks = call.mayInquire === true && client.getProtocolEra() === 'modern'
  const meta = { [KEY]: call.invocationId, ...(asks ? ASKS : {}) }
  let more: Parts = call.inquired === undefined ? {} : responsesTo(call.inquired)
  for (let pass = 1; pass <= MOST_PASSES; pass += 1) {
    const { definition, timeoutMs } = called
    const params = { name: definition.name, arguments: args, ...more, _meta: meta }
    const answer = await client.callTool(params, {
      signal: call.signal,
      timeout: Math.min(TIMER_MS, timeoutMs + LATER_MS),
      allowInputRequired: true,
      // Without its output schema: results are checked by the runtime, and the library's engine is not made for hostile schemas.
      toolDefinition: definition,
    })
    if (!isInputRequiredResult(answer)) return readAnswer(answer)
    const requests = (answer.inputRequests ?? {}) as unknown as Requests
    if (Object.keys(requests).length > 0) return (asks ? inquiryOf(requests, answer.requestState) : null) ?? failed(unaskedText(requests))
    more = { requestState: answer.requestState }
  }
  return failed('The server only wanted its own state back, again and again, and did not do it.')
}

/** The result as the server gave it, each kind of content as it is. What is none of a result is left out. */
function readAnswer({ content, structuredContent, isError }: CallToolResult): ToolResult {
  return {
    content: content as unknown as ToolResult['content'],
    ...(structuredContent === undefined ? {} : { structuredContent: structuredContent as JsonObject }),
    ...(isError === true ? { isError } : {}),
  }
}

/** An error that is an answer: the server refused the call, or answered it with something that is no result. */
function answerIn(error: unknown): ToolResult | null {
  if (ProtocolError.isInstance(error)) {
    if (error.data === STREAM_ENDED) return null
    return failed(`The server answered with an error: ${cutText(error.message, MOST_CHARACTERS)}`)
  }
  if (!SdkError.isInstance(error)) return null
  const unread = error.code === SdkErrorCode.InvalidResult || error.code === SdkErrorCode.UnsupportedResultType
  return unread ? failed('The server ran the call and answered with something that is no result of a tool.') : null
}

function failed(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

function lostText(error: unknown, policy: ReplayPolicy): string {
  const what = `No answer came from the server (${reasonOf(error)}).`
  if (policy === 'read-only') return `${what} The tool only reads, so it may be called again.`
  return `${what} Its effect is unknown: it may have happened or not. Find out before you call it again.`
}
