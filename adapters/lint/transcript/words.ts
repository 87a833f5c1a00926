// Everything that can be found in a history: how grave it is, by which rule, and how to mend it. Scripts rely on the words.

import type { Finding, Page, Severity } from '../finding.ts'
import type { Place } from './history.ts'

export const TRANSCRIPT_WORDS = {
  'call-without-result': {
    severity: 'error',
    rule: 'B3',
    mend: 'Give every call exactly one result in the message behind it: for one that did not run, a result that says so.',
  },
  'trimmed-behind-call': {
    severity: 'error',
    rule: 'G5',
    mend: 'Trim a history only where no call is open: take a call away together with its result, or keep both. A call that waits gets its result before the next request.',
  },
  'trimmed-before-result': {
    severity: 'error',
    rule: 'G5',
    mend: 'Begin a trimmed history with a message of the user: a result without its call is refused, or read as something the user said.',
  },
  'result-late': {
    severity: 'error',
    rule: 'B3',
    mend: 'Move the result into the message right behind its call, and what was said meanwhile behind it.',
  },
  'result-without-call': {
    severity: 'error',
    rule: 'B3',
    mend: 'Put the call back into the assistant message before it, or take the result away.',
  },
  'result-twice': {
    severity: 'error',
    rule: 'B3',
    mend: 'Keep one result for a call: the one that was really given.',
  },
  'results-split': {
    severity: 'error',
    rule: 'B3',
    mend: 'Put the results of all calls of one message into one message.',
  },
  'results-mixed': {
    severity: 'error',
    rule: 'B3',
    mend: 'Let the results stand first, or alone where the format asks for that; what else is to be said goes behind them.',
  },
  'results-reordered': {
    severity: 'warning',
    rule: 'B3',
    mend: 'Give the results in the order of the calls, whichever ended first.',
  },
  'result-empty': {
    severity: 'warning',
    rule: 'B9',
    mend: 'Say in words that there was nothing to return: a model takes silence for a failure, and calls again.',
  },
  'id-missing': {
    severity: 'error',
    rule: 'B3',
    mend: 'Give the call an id of your own, and its result the same one.',
  },
  'id-repeated': {
    severity: 'error',
    rule: 'B3',
    mend: 'Give each call of a message an id of its own when it is recorded, and its result the same one.',
  },
  'id-reused': {
    severity: 'error',
    rule: 'B3',
    mend: 'Ids of a model are no identity: give each call of a history an id of its own when it is recorded, and its result the same one.',
  },
  'arguments-unreadable': {
    severity: 'error',
    rule: 'B1',
    mend: 'Nothing of it can be run for certain. Answer the call with a result that says what is wrong, and let the model write it again.',
  },
  'keys-repeated': {
    severity: 'error',
    rule: 'B1',
    mend: 'Readers of JSON keep one of the two and drop the other: which one was meant is for whoever wrote it to say.',
  },
  'round-truncated': {
    severity: 'error',
    rule: 'B4',
    mend: 'Take the whole message out of the history and ask again with a larger output budget; run none of its calls.',
  },
  'text-like-call': {
    severity: 'info',
    rule: 'A3',
    mend: 'Leave it as it is: text stays text, and is never run. If a call was meant, offer the tool natively, to a model that can call.',
  },
  'format-mixed': {
    severity: 'error',
    rule: 'G5',
    mend: 'Write the whole history in one format, or name the right one by --format: until then nothing says whether its calls are paired.',
  },
  'message-unknown': {
    severity: 'warning',
    rule: 'G5',
    mend: 'Take out what is no message: it was passed over, and nothing in it was checked.',
  },
} as const satisfies { readonly [word: string]: Page }

export type TranscriptWord = keyof typeof TRANSCRIPT_WORDS

/** A finding before its place is written out. */
export type Found = { readonly at: Place; readonly finding: Omit<Finding, 'path'> }

/** @param severity where it is not that of the word */
export function found(word: TranscriptWord, at: Place, tool: string | null, what: string, severity?: Severity): Found {
  const page: Page = TRANSCRIPT_WORDS[word]
  return { at, finding: { severity: severity ?? page.severity, finding: word, rule: page.rule, tool, what, mend: page.mend } }
}
