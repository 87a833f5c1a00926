// The text of a round, redacted as one text however the model cut it into items: a secret may stand across two of them, and all of
// them are read together in the end.

import { readJson } from './arguments/read.ts'
import type { RoundRecorded } from './events/round.ts'
import type { ModelItem } from './ports/model.ts'
import type { Redactor } from './ports/world.ts'
import type { TurnState } from './state.ts'
import { commonBeginning } from './text.ts'

/** Joined texts of items that follow each other in a round, or in rounds that go on from each other. */
export function textOf(items: readonly { readonly kind: string; readonly text?: string }[]): string {
  return items.map(item => (item.kind === 'text' ? (item.text ?? '') : '')).join('')
}

/** The text that the next round goes on from: that of the paused rounds right before it. */
export function pausedText({ rounds }: TurnState): string {
  const first = rounds.findLastIndex(round => round.completion !== 'paused') + 1
  return textOf(rounds.slice(first).flatMap((round: RoundRecorded) => round.items))
}

/**
 * What is kept of the text items of a round, in their order: each redacted by itself, or null for all but the first, which then
 * holds the redacted text of all, where a secret stands across them.
 *
 * @param before the recorded text that they go on from; of a secret that begins in it, the rest is left out
 */
export function redactTexts(redactor: Redactor, items: readonly ModelItem[], before: string): readonly (string | null)[] {
  const texts = items.flatMap(item => (item.kind === 'text' ? [item.text] : []))
  const each = texts.map(text => redactor.text(text).text)
  // JSON is masked by its fields, and has them only by itself.
  const parts = texts.map((text, index) => (isJson(text) ? (each[index] ?? '') : text))
  const whole = redactor.text(before + parts.join('')).text
  const same = whole === before + each.join('')
  const rest = whole.slice(commonBeginning(before, whole).length)
  return same ? each : each.map((_, index) => (index === 0 ? rest : null))
}

function isJson(text: string): boolean {
  return /^\s*[[{]/.test(text) && readJson(text).ok
}
