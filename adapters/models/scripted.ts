// A model that says what it was told to say. Where it stands in its script follows from the turn alone, so that a process which
// takes the turn over is given the very answers that the one before it would have been given.

import type { AskContext, Model, ModelRequest, ModelRound } from '../../machines/ports/model.ts'
import { checkScript, exhausted, failureOf, isFailure, roundOf, type ScriptedAnswer, type ScriptedRound } from './script.ts'
import { send } from './send.ts'

export type ScriptedOptions = {
  /** Default native: it can call tools. */
  readonly capabilities?: { readonly toolCalls?: 'native' | 'none' }
  /** Whether it holds an output schema itself, or is asked for it in words (A2). Default enforced. */
  readonly output?: 'enforced' | 'prompted'
  /** When it is asked more often than it has answers: fail with `mock_program_exhausted`, or say the last one again. Default error. */
  readonly whenExhausted?: 'error' | 'repeat-last'
}

/** Keeps what was asked where it outlives a process. */
export type AskRecord = {
  /** Called before anything is answered. */
  readonly asked: (place: AskContext, request: ModelRequest) => void
  /** A try met a failure: its entry is used up, also when nobody lives to record it. */
  readonly failed: (place: AskContext) => void
  /** How many tries of this round met a failure. */
  readonly failures: (place: AskContext) => number
}

const NO_RECORD: AskRecord = { asked: () => undefined, failed: () => undefined, failures: () => 0 }

/**
 * A model for tests: `createRuntime({ model: scripted([{ stop: 'end', content: [{ text: 'Hello.' }] }]) })`.
 *
 * The k-th request of an attempt is answered with the k-th entry. A request whose answer was lost with its process gets the
 * same entry again; a `fail` entry is used up by the try that met it; a retry of the turn starts over at the first entry.
 *
 * @throws ToolturnError `option_invalid` when an entry is none
 */
export function scripted(rounds: readonly ScriptedRound[], options: ScriptedOptions = {}): Model {
  return scriptedModel(rounds, options, NO_RECORD)
}

/** The same, with a record of what was asked. */
export function scriptedModel(rounds: readonly ScriptedRound[], options: ScriptedOptions, record: AskRecord): Model {
  checkScript(rounds)
  const { capabilities = {}, output = 'enforced', whenExhausted = 'error' } = options
  return {
    name: 'scripted',
    capabilities: { toolCalls: capabilities.toolCalls ?? 'native', enforcedOutput: output === 'enforced' },
    ask: (request, context) =>
      send(context, async () => {
        record.asked(context, request)
        const position = positionOf(rounds, context.round, Math.max(record.failures(context), context.try - 1))
        const entry = rounds[position] ?? (whenExhausted === 'repeat-last' ? rounds.at(-1) : undefined)
        if (entry === undefined) throw exhausted(position + 1)
        if (!isFailure(entry)) return answer(entry, context)
        record.failed(context)
        throw failureOf(entry)
      }),
  }
}

function answer(entry: ScriptedAnswer, { onDelta }: AskContext): ModelRound {
  const round = roundOf(entry)
  for (const item of round.items) if (item.kind === 'text') onDelta({ kind: 'text', text: item.text })
  return round
}

/**
 * Where the script stands: behind the answers of the recorded rounds, with the failures that were met on the way to each, and
 * behind the failures of this round.
 *
 * @param round position in the attempt, from 1
 * @param failures tries of this round that met a failure
 */
function positionOf(rounds: readonly ScriptedRound[], round: number, failures: number): number {
  let position = 0
  for (let answered = 1; answered < round; answered += 1) {
    const next = rounds.findIndex((entry, index) => index >= position && !isFailure(entry))
    position = next === -1 ? Math.max(position, rounds.length) + 1 : next + 1
  }
  return position + failures
}
