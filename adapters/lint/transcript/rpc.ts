// A recorded MCP session: JSON-RPC requests `tools/call` and their responses, which may come at any time and in any order.

import { isJsonObject, type Json, type JsonObject } from '../../../machines/json.ts'
import type { Call, Place, Result, Step } from './history.ts'
import { isEmptyContent, listOf, opened, textOf, toolOf, unread } from './parts.ts'

type Exchange = { readonly call: Call; readonly answers: Result[] }

/** A call and its answers are put side by side, so that the rules of pairing fit. */
export function readRpc(messages: readonly unknown[]): readonly Step[] {
  const open = new Map<string, Exchange>()
  const read = messages.map((element, message): Exchange | readonly Step[] => {
    const found = opened(element)
    const at = { message, inside: found?.inside ?? '' }
    if (found?.message['jsonrpc'] === undefined) return [unread(at, found?.message['role'] !== undefined)]
    const call = callOf(found.message, at)
    if (call !== null) {
      const exchange: Exchange = { call, answers: [] }
      if (call.id !== null) open.set(call.id, exchange)
      return exchange
    }
    const answer = answerOf(found.message, at)
    const asked = answer?.id == null ? undefined : open.get(answer.id)
    if (answer === null) return []
    if (asked === undefined) return strayStep(answer, found.message)
    asked.answers.push(answer)
    return []
  })
  return read.flatMap(each => ('call' in each ? exchangeSteps(each) : each))
}

function exchangeSteps({ call, answers }: Exchange): readonly Step[] {
  const asked: Step = { kind: 'assistant', at: call.at, calls: [call], said: [], truncated: false }
  return answers.length === 0 ? [asked] : [asked, resultsStep(answers)]
}

/** Other requests have responses too: only its shape tells the result of a tool. It is kept apart from calls that are not its own. */
function strayStep(answer: Result, found: JsonObject): readonly Step[] {
  return isToolResult(found['result']) ? [{ kind: 'other', at: answer.at }, resultsStep([answer])] : []
}

function resultsStep(results: readonly Result[]): Step {
  return { kind: 'results', at: results[0]?.at ?? { message: 0, inside: '' }, results, mixed: false }
}

function callOf(found: JsonObject, at: Place): Call | null {
  if (found['method'] !== 'tools/call') return null
  const params = isJsonObject(found['params']) ? found['params'] : {}
  const written = params['arguments']
  return {
    at,
    id: rpcId(found['id']),
    tool: toolOf(params['name']),
    arguments: written === undefined ? { kind: 'text', text: null } : { kind: 'value', value: written },
  }
}

/** A response, or the word that there will be none. */
function answerOf(found: JsonObject, at: Place): Result | null {
  if (found['method'] === 'notifications/cancelled') {
    return { at, id: rpcId(isJsonObject(found['params']) ? found['params']['requestId'] : undefined), empty: false }
  }
  if (found['method'] !== undefined || (found['result'] === undefined && found['error'] === undefined)) return null
  return { at, id: rpcId(found['id']), empty: isEmptyResult(found['result']) }
}

/** Only a result that says by its shape that it is one can be empty. */
function isEmptyResult(result: Json | undefined): boolean {
  return isToolResult(result) && isEmptyContent(result['content']) && result['structuredContent'] === undefined
}

function isToolResult(result: Json | undefined): result is JsonObject {
  if (!isJsonObject(result) || !Array.isArray(result['content'])) return false
  return listOf(result['content']).every(block => isJsonObject(block) && textOf(block['type']) !== null)
}

/** `1` and `"1"` are two ids. */
function rpcId(id: Json | undefined): string | null {
  if (typeof id === 'number') return String(id)
  return typeof id === 'string' && id !== '' ? JSON.stringify(id) : null
}
