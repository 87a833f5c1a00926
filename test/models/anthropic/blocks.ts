// Messages of any blocks, in one piece and as the stream in which the API would say them.

import type { JsonObject } from '../../../machines/json.ts'
import type { Answer } from '../wire.ts'
import { events } from './driver.ts'

const REST = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 2 },
}

/** @param rest what else the message says of itself */
export function messageOf(blocks: readonly JsonObject[], stop: string, rest: JsonObject = {}): Answer {
  return { body: JSON.stringify({ ...REST, content: blocks, stop_reason: stop, ...rest }) }
}

export function streamOf(blocks: readonly JsonObject[], stop: string, rest: JsonObject = {}): Answer {
  return events(
    [
      { type: 'message_start', message: { ...REST, content: [], stop_reason: null } },
      ...blocks.flatMap(blockEvents),
      { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null, ...rest }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ].map(event => JSON.stringify(event)),
  )
}

function blockEvents(block: JsonObject, index: number): readonly JsonObject[] {
  const { start, deltas } = growthOf(block)
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map(delta => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

/** Blocks of other kinds come at once. */
function growthOf(block: JsonObject): { readonly start: JsonObject; readonly deltas: readonly JsonObject[] } {
  switch (block['type'] as string) {
    case 'text': {
      const { text, citations } = block as { text: string; citations?: readonly JsonObject[] }
      const cites = (citations ?? []).map(citation => ({ type: 'citations_delta', citation }))
      return {
        start: { ...block, text: '', ...(citations === undefined ? {} : { citations: [] }) },
        deltas: [...cites, ...halves(text).map(half => ({ type: 'text_delta', text: half }))],
      }
    }
    case 'thinking': {
      const { thinking, signature } = block as { thinking: string; signature: string }
      const deltas = halves(thinking).map(half => ({ type: 'thinking_delta', thinking: half }))
      return { start: { ...block, thinking: '', signature: '' }, deltas: [...deltas, { type: 'signature_delta', signature }] }
    }
    case 'tool_use':
    case 'server_tool_use': {
      const deltas = halves(JSON.stringify(block['input'])).map(half => ({ type: 'input_json_delta', partial_json: half }))
      return { start: { ...block, input: {} }, deltas }
    }
    default:
      return { start: block, deltas: [] }
  }
}

function halves(text: string): readonly string[] {
  const half = Math.ceil(text.length / 2)
  return [text.slice(0, half), text.slice(half)]
}
