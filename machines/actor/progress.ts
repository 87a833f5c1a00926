// What a model is saying, told while it says it, redacted like the record: only what no later word can turn into a part of a secret.

import type { AskContext } from '../ports/model.ts'
import type { Redactor } from '../ports/world.ts'
import { commonBeginning } from '../text.ts'

type Delta = Parameters<AskContext['onDelta']>[0]

export type Deltas = {
  readonly onDelta: (delta: Delta) => void
  /** Tells the rest. Deltas that come later are dropped. */
  readonly end: () => void
}

/** One kind of words of the round: as they came, how many were looked at, and what was told of them. */
type Said = { readonly kind: Delta['kind']; text: string; looked: number; told: string }

/** It is looked again once there is so much more of it, so that all looks together take time linear in the text. */
const GROWTH = 1 / 16

/**
 * Redacts deltas on their way to `tell`.
 *
 * A call is told without its text: which of its fields are secret can be seen only when it is whole. What was told is never
 * taken back: when later words change it, nothing more is told, and the record says the rest.
 *
 * @param before recorded text that the round goes on from; it was told
 */
export function redactedDeltas(redactor: Redactor, before: string, tell: (delta: Delta) => void): Deltas {
  const said = new Map<Delta['kind'], Said>([['text', { kind: 'text', text: before, looked: 0, told: before }]])
  let ended = false
  const tellUpTo = (words: Said, settled: string): void => {
    if (settled.length <= words.told.length || !settled.startsWith(words.told)) return
    tell({ kind: words.kind, text: settled.slice(words.told.length) })
    words.told = settled
  }
  return {
    onDelta: ({ kind, text }) => {
      if (ended) return
      if (kind === 'call') return tell({ kind, text: '' })
      const words = said.get(kind) ?? { kind, text: '', looked: 0, told: '' }
      said.set(kind, words)
      words.text += text
      if (words.text.length - words.looked < words.looked * GROWTH) return
      words.looked = words.text.length
      tellUpTo(words, settledText(redactor, words.text))
    },
    end: () => {
      if (ended) return
      ended = true
      for (const words of said.values()) tellUpTo(words, redactor.text(words.text).text)
    },
  }
}

/** JSON is masked by its fields, and has them only when it is whole. */
const JSON_BEGINS = /^\s*[[{]/

/**
 * The redacted beginning of a text that may go on.
 *
 * It ends where a word does, further from the open end than a known secret is long: each secret that begins before has ended, so
 * it is masked in the whole text. Where the two forms part, a secret stands across the end.
 */
function settledText(redactor: Redactor, text: string): string {
  if (JSON_BEGINS.test(text)) return ''
  let end = Math.max(0, text.length - redactor.reach)
  while (end > 0 && !/\s/.test(text[end - 1] ?? '')) end -= 1
  return end === 0 ? '' : commonBeginning(redactor.text(text.slice(0, end)).text, redactor.text(text).text)
}
