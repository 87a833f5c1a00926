// From a response to facts: what of a round is recorded, in which channel, with which verdict over its output (A1). Calls are the
// items that the provider gave as calls; nothing reads them out of text (A3).

import type { Admitted } from './admission.ts'
import { readJson } from './arguments/read.ts'
import type { FactOf } from './events.ts'
import type { RoundItem, RoundRecorded } from './events/round.ts'
import { canonicalJson, type Json } from './json.ts'
import type { ModelItem, ModelRound } from './ports/model.ts'
import type { Redactor } from './ports/world.ts'
import { redactBounded, redactName, redactUnmaskable } from './redaction.ts'
import { outputNotJsonText, outputProblemText } from './repair.ts'
import { pausedText, redactTexts, textOf } from './round-text.ts'
import { compiledSchema } from './schemas/cache.ts'
import type { TurnState } from './state.ts'

/**
 * The record of a round.
 *
 * @param state before the round
 * @param request digest of the neutral request that was answered
 * @param admitted the verdicts over its calls, in order
 */
export function roundFact(
  round: ModelRound,
  state: TurnState,
  request: string,
  admitted: readonly Admitted[],
  redactor: Redactor,
): FactOf<'round.recorded'> {
  const output = redactOutput(judgeOutput(round, state), state, redactor)
  const texts = output.value === null ? redactTexts(redactor, round.items, pausedText(state)) : [output.value]
  return {
    type: 'round.recorded',
    data: {
      round: state.rounds.length + 1,
      request,
      completion: round.completion,
      stop: redactBounded(redactor, round.stop, STOP_CHARACTERS),
      channel: admitted.length > 0 ? 'tool' : output.verdict === null ? null : channelOf(state),
      items: recordItems(round.items, texts, admitted, redactor),
      output: output.verdict,
      ...(round.refusal === undefined ? {} : { refusal: redactor.text(round.refusal).text }),
      ...(round.usage === undefined ? {} : { usage: round.usage }),
      anomalies: anomalies(round, admitted.length, redactor),
    },
  }
}

const STOP_CHARACTERS = 100

/** The verdict as it is recorded. Where redaction changed the value, `value` is its text, which stands for all that was said. */
function redactOutput(
  verdict: RoundRecorded['output'],
  { opened }: TurnState,
  redactor: Redactor,
): { readonly verdict: RoundRecorded['output']; readonly value: string | null } {
  if (verdict === null || !verdict.valid) return { verdict, value: null }
  const { value, changed } = redactor.value(verdict.value, opened.output?.schema)
  return { verdict: { valid: true, value }, value: changed ? canonicalJson(value) : null }
}

function channelOf(state: TurnState): 'structured' | 'prompted' {
  return state.opened.output?.mode === 'enforced' ? 'structured' : 'prompted'
}

/**
 * Items in their order, each call under its host id. Opaque blocks and extras stay byte-exact, or are not kept at all.
 *
 * @param texts what is kept of the text items, in their order; those that are none are left out
 */
function recordItems(
  items: readonly ModelItem[],
  texts: readonly (string | null)[],
  admitted: readonly Admitted[],
  redactor: Redactor,
): RoundItem[] {
  const said = [...texts]
  const calls = admitted.map(call => call.item)
  return items.flatMap((item): RoundItem[] => {
    switch (item.kind) {
      case 'text': {
        const text = said.shift() ?? null
        return text === null ? [] : [{ kind: 'text', text, ...(text === item.text ? extraOf(item, redactor) : {}) }]
      }
      case 'opaque':
        return redactUnmaskable(redactor, item.value) === undefined ? [] : [item]
      case 'provider-tool':
        return [redactProviderTool(item, redactor)]
      case 'call':
        return [nextOf(calls)]
    }
  })
}

function extraOf({ extra }: { readonly extra?: Json }, redactor: Redactor): { readonly extra?: Json } {
  const kept = redactUnmaskable(redactor, extra)
  return kept === undefined ? {} : { extra: kept }
}

function redactProviderTool(item: Extract<ModelItem, { kind: 'provider-tool' }>, redactor: Redactor): RoundItem {
  const { extra: _extra, ...rest } = item
  return {
    ...rest,
    ...extraOf(item, redactor),
    ...(item.id === undefined ? {} : { id: redactName(redactor, item.id) }),
    ...(item.input === undefined ? {} : { input: redactor.value(item.input).value }),
    ...(item.result === undefined ? {} : { result: redactor.value(item.result).value }),
  }
}

function nextOf(calls: RoundItem[]): RoundItem {
  const call = calls.shift()
  if (call === undefined) throw new Error('a call of the round was not judged')
  return call
}

/**
 * Validates the output that was asked for, ours in every mode (A2). It is judged and never dispatched, whatever it looks like.
 *
 * @returns null where none was asked for, or the round gives none: it holds calls, or did not end clean
 */
function judgeOutput(round: ModelRound, state: TurnState): RoundRecorded['output'] {
  const { output } = state.opened
  if (output === null || round.completion !== 'clean' || round.items.some(item => item.kind === 'call')) return null
  const read = readJson(textOf(round.items).trim())
  if (!read.ok) return { valid: false, text: outputNotJsonText(read.problem.text) }
  const schema = compiledSchema(output.schema)
  if (!schema.ok) return { valid: false, text: outputNotJsonText(schema.reason) }
  const checked = schema.validate(read.value)
  if (!checked.ok) return { valid: false, text: outputProblemText(checked.problems) }
  return { valid: true, value: checked.value }
}

/** What was odd and decides nothing: the presence of calls does (B6). */
function anomalies(round: ModelRound, calls: number, redactor: Redactor): string[] {
  const leftOut = round.items.some(item => item.kind === 'opaque' && redactUnmaskable(redactor, item.value) === undefined)
  return [...callAnomalies(round, calls), ...(leftOut ? ['opaque-block-with-secret-left-out'] : [])]
}

function callAnomalies(round: ModelRound, calls: number): string[] {
  const saysTools = TOOL_STOPS.has(round.stop)
  if (saysTools && calls === 0) return ['stop-says-tools-without-calls']
  if (!saysTools && calls > 0 && round.completion === 'clean' && round.stop !== SAYS_NEITHER) return ['calls-without-tool-stop']
  return []
}

/** A provider without a stop word for calls says this of every response that is whole. */
const SAYS_NEITHER = 'completed'

const TOOL_STOPS: ReadonlySet<string> = new Set(['tool_calls', 'tool_use', 'function_call', 'tool-calls'])
