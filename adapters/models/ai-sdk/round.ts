// A whole answer, streamed or not, as the round that is recorded. How it ended is read from a closed table: a word that nobody knows
// is never clean.

import type { LanguageModelV4Content, LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider'
import type { Completion, Usage } from '../../../machines/events/round.ts'
import type { ModelRound } from '../../../machines/ports/model.ts'
import { cutOff, modelFailure } from '../failure.ts'
import { itemsOf, serverCall, type Terms } from './parts.ts'
import type { Signs } from './signs.ts'

/** What both ways of asking come to. */
export type Answer = {
  readonly content: readonly LanguageModelV4Content[]
  readonly finishReason: LanguageModelV4FinishReason
  readonly usage: LanguageModelV4Usage
  readonly signs: Signs
}

/** @throws ModelFailure where the answer broke off, or is one that no provider may give */
export function roundOf({ content, finishReason, usage, signs }: Answer, terms: Terms): ModelRound {
  const { unified, raw } = finishReason
  const { who } = terms
  if (signs.server) throw serverCall(who)
  if (unified === 'interrupted') throw cutOff(who)
  if (unified === 'error')
    throw modelFailure(`${who} ended its answer with an error.`, { kind: 'protocol', code: 'model_unavailable', final: false })
  const completion = completionOf(finishReason, signs)
  const items = itemsOf(content, terms)
  const refusal = completion === 'refused' ? items.map(item => (item.kind === 'text' ? item.text : '')).join('') : ''
  return { completion, stop: raw ?? unified, items, ...(refusal === '' ? {} : { refusal }), ...usageOf(usage) }
}

/** Words of providers for an end that is clean. */
const CLEAN_WORDS: ReadonlySet<string> = new Set([
  'stop',
  'end_turn',
  'stop_sequence',
  'complete',
  'completed',
  'tool_call',
  'tool_calls',
  'tool_use',
  'function_call',
  'tool-calls',
])

/** The word of providers for an answer that is to be asked for again as it stands; packages call it a stop. */
const PAUSE_WORDS: ReadonlySet<string> = new Set(['pause_turn'])

function completionOf({ unified, raw }: LanguageModelV4FinishReason, { refused, incomplete }: Signs): Completion {
  switch (unified) {
    case 'stop':
    case 'tool-calls':
      if (refused) return 'refused'
      if (incomplete || !isCleanWord(unified, raw)) return 'truncated'
      return raw !== undefined && PAUSE_WORDS.has(raw) ? 'paused' : 'clean'
    case 'content-filter':
      return 'refused'
    default:
      return 'truncated'
  }
}

/** Packages also say `tool-calls` of an end that they do not know, where there is a call: there the provider's own word counts. */
function isCleanWord(unified: 'stop' | 'tool-calls', raw: string | undefined): boolean {
  return unified === 'stop' || raw === undefined || CLEAN_WORDS.has(raw.toLowerCase())
}

/** Packages in older hands leave parts of it out. */
function usageOf(said: Partial<LanguageModelV4Usage> | undefined): { usage?: Usage } {
  const usage = {
    ...count('inputTokens', said?.inputTokens?.total),
    ...count('outputTokens', said?.outputTokens?.total),
    ...count('cachedTokens', said?.inputTokens?.cacheRead),
  }
  return Object.keys(usage).length === 0 ? {} : { usage }
}

function count(name: keyof Usage, tokens: number | undefined): Usage {
  return tokens !== undefined && Number.isSafeInteger(tokens) && tokens >= 0 ? { [name]: tokens } : {}
}
