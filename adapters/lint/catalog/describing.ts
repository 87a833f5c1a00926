// Descriptions that a model cannot choose by: too short, or without when to use the tool and when not.

import type { Finding } from '../finding.ts'
import type { Linted } from './linted.ts'
import { found } from './words.ts'

const LEAST_SENTENCES = 3
/** Longer descriptions are looked at as far as that. */
const LOOKED_AT = 8_000

/** Words that say when not to use a tool. */
const NOT = new RegExp(
  [
    "\\b(?:do not|don['’]t|never|must not|should not|shouldn['’]t|cannot|can['’]t|instead|rather than|avoid|except|unless)\\b",
    '\\bnot (?:for|to|when|if|use|meant|suitable)\\b',
    '\\bonly (?:when|if|for|after|once|with)\\b',
  ].join('|'),
  'i',
)

/** Words that say when to. */
const WHEN = new RegExp(
  [
    '\\bwhen(?:ever)?\\b',
    '\\b(?:uses?|used|call|choose|pick|prefer|invoke|useful|helpful|needed|required)\\b[^.!?]*\\b(?:if|for|to|after|before|once|where)\\b',
  ].join('|'),
  'i',
)
const NEGATED = /(?:\bnot\b|\bnever\b|n['’]t\b).*/is

export function descriptionFindings({ name, description }: Linted): readonly Finding[] {
  const text = description.slice(0, LOOKED_AT)
  const sentences = sentencesOf(text)
  const short = sentences.length < LEAST_SENTENCES
  const missing = description.trim() === ''
  const what = missing ? 'There is no description.' : `The description has ${sentences.length} of at least ${LEAST_SENTENCES} sentences.`
  return [
    ...(short ? [found('description-short', name, '/description', what)] : []),
    ...(missing || !isEnglish(text) ? [] : useFindings(name, sentences)),
  ]
}

/** What stands behind a "not" does not say when to use a tool. */
function useFindings(name: string, sentences: readonly string[]): readonly Finding[] {
  const when = sentences.some(sentence => WHEN.test(sentence.replace(NEGATED, '')))
  const not = sentences.some(sentence => NOT.test(sentence))
  return [
    ...(when ? [] : [found('description-without-when', name, '/description', 'The description does not say when to use the tool.')]),
    ...(not ? [] : [found('description-without-when-not', name, '/description', 'The description does not say when not to use the tool.')]),
  ]
}

const SEGMENTS = new Intl.Segmenter('en', { granularity: 'sentence' })

function sentencesOf(text: string): readonly string[] {
  return [...SEGMENTS.segment(text)].map(({ segment }) => segment).filter(segment => /\p{L}/u.test(segment))
}

/** When and when not is looked for in English words only. */
function isEnglish(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? []
  return letters.filter(letter => /[a-z]/i.test(letter)).length * 2 > letters.length
}
