// The model of a turn that came in over MCP: it makes the one call that its caller made, and then says nothing.
//
// A `tools/call` of the protocol is the caller's native call, and this is where it enters: its name and the text of its arguments are
// handed over in memory, by the process that took the request. The input of the turn holds only a random name to find them by, and
// no text, neither that one nor anything a client or a model wrote, is ever read as a call (A3, C10). A process that has the turn and
// not the call, because the one before it died in between, asks nothing and runs nothing: the turn fails.

import type { Message, Model, ModelRequest, ModelRound, PairedResult } from '../../../machines/ports/model.ts'
import { modelFailure } from '../../models/failure.ts'
import { send } from '../../models/send.ts'

/** Somebody of this process who waits for a turn, known by the text of its input. */
export type Errand = {
  readonly text: string
  /** What the caller asked for; null where the turn was opened before. */
  readonly call: { readonly name: string; readonly arguments: string | null } | null
  /** The call's result as a model would have been shown it; null until the turn was driven so far here. */
  shown: PairedResult | null
}

export type Desk = {
  readonly model: Model
  /** Lays an errand down, until it is taken up again. */
  readonly lay: (errand: Errand) => void
  readonly takeUp: (errand: Errand) => void
}

export function createDesk(): Desk {
  const errands = new Map<string, Set<Errand>>()
  return {
    model: {
      name: 'mcp-caller',
      capabilities: { toolCalls: 'native', enforcedOutput: false },
      ask: (request, context) => send(context, async () => answer(request, errands.get(inputOf(request)) ?? new Set())),
    },
    lay: errand => {
      const laid = errands.get(errand.text) ?? new Set()
      errands.set(errand.text, laid.add(errand))
    },
    takeUp: errand => {
      const laid = errands.get(errand.text)
      laid?.delete(errand)
      if (laid?.size === 0) errands.delete(errand.text)
    },
  }
}

function inputOf({ messages }: ModelRequest): string {
  const [input] = messages
  return input?.role === 'user' ? input.text : ''
}

function answer({ messages }: ModelRequest, errands: ReadonlySet<Errand>): ModelRound {
  const result = resultIn(messages.at(-1))
  if (result !== null) {
    for (const errand of errands) errand.shown = result
    return { completion: 'clean', stop: 'end', items: [] }
  }
  for (const { call } of errands) {
    if (call !== null) return { completion: 'clean', stop: 'tool_calls', items: [{ kind: 'call', id: null, ...call }] }
  }
  throw modelFailure('The process that took the call died before it was recorded; nothing ran.', {
    kind: 'reset',
    code: 'model_unavailable',
    final: true,
  })
}

function resultIn(last: Message | undefined): PairedResult | null {
  return last?.role === 'tool' ? (last.results[0] ?? null) : null
}
