// How tests ask a model by itself: a request, a context, and the failure that came of it.

import { isModelFailure, type AskContext, type ModelFailure, type ModelRequest } from '../../machines/ports/model.ts'

const ID_SCHEMA = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'], additionalProperties: false } as const

export const REQUEST: ModelRequest = {
  system: 'You work in a shop.',
  messages: [{ role: 'user', text: 'Please refund order 42.' }],
  tools: [
    { name: 'find_order', description: 'Finds one order by its id.', inputSchema: ID_SCHEMA },
    { name: 'refund', description: 'Refunds one order.', inputSchema: ID_SCHEMA },
  ],
  output: null,
  providerTools: [],
  callsPerRound: 16,
  truncations: 0,
}

export type Delta = Parameters<AskContext['onDelta']>[0]

export function askContext(parts: Partial<AskContext> = {}): AskContext {
  const { signal } = new AbortController()
  return { turnId: 't', attempt: 1, round: 1, try: 1, signal, purpose: 'live', onDelta: () => {}, ...parts }
}

/** What an ask is thrown for, which must be a failure in the words of the port. */
export async function failureOf(asking: Promise<unknown>): Promise<ModelFailure> {
  try {
    await asking
  } catch (thrown) {
    if (isModelFailure(thrown)) return thrown
    throw thrown
  }
  throw new Error('the ask gave a round')
}
