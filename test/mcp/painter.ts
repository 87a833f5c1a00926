// A server that paints, and first wants to know in which colour.

import { inputRequired } from '@modelcontextprotocol/server'
import { mcp, type McpOptions } from '../../adapters/mcp/index.ts'
import type { Runtime, TurnResult } from '../../index.ts'
import { asks, eventsOf, firstWords } from './client-stage.ts'
import { listed, openShop, type Answer } from './shop.ts'

/** No two ways of writing it down are the same bytes. */
export const STATE = 'é\u0000"\\/ \u2028\ud83d\ude00 eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2ln +/=%2B'
export const KEY = Buffer.alloc(32, 7)
export const FREE = { defaults: { approval: 'never' } } as const satisfies Partial<McpOptions>

export const colour = (message = 'Which colour?') =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { colour: { type: 'string', enum: ['red', 'blue'] } }, required: ['colour'] },
  })

export const answered = (text: string) => ({ content: [{ type: 'text' as const, text }] })

/** Asks for a colour, and paints when it is told one. */
export const paints: Answer = (_, { mcpReq }) =>
  mcpReq.inputResponses === undefined ? inputRequired({ inputRequests: { which: colour() }, requestState: STATE }) : answered('painted')

export async function sourceOf(call: Answer, more: Partial<McpOptions> = FREE, legacy = false) {
  const shop = openShop({ tools: [listed('paint')], call, legacy })
  const source = await mcp({ name: 'shop', transport: shop.transport, ...more })
  return { shop, source }
}

export const PAINT = [asks(['paint', { wall: 'north' }])]

export function held({ calls }: TurnResult): string {
  return calls[0]?.approvalId ?? ''
}

export async function wordsOf(runtime: Runtime, turnId: string) {
  const { version, ...result } = await runtime.result(turnId)
  return { result, words: firstWords(await eventsOf(runtime, turnId, version)) }
}

/** The same, with a state of the test's own. */
export function withState(requestState: string): Answer {
  return (_, { mcpReq }) =>
    mcpReq.inputResponses === undefined ? inputRequired({ inputRequests: { which: colour() }, requestState }) : answered('painted')
}

/** Under which key a call was sent. */
export function keyOf(params: { readonly [name: string]: unknown } | undefined): unknown {
  return (params?.['_meta'] as { readonly [name: string]: unknown } | undefined)?.['toolturn/key']
}
