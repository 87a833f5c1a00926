// What is wrong with single calls and results, however well they are paired.

import { readArguments } from '../../../machines/arguments/read.ts'
import { isJsonObject } from '../../../machines/json.ts'
import { quoted, shownName, type Severity } from '../finding.ts'
import { looksLikeCall } from './call-like.ts'
import type { Assistant, Call, Results, Step } from './history.ts'
import { found, type Found } from './words.ts'

/** @param unknown how grave it is that something is no message: graver where nothing is one */
export function contentFindings(steps: readonly Step[], unknown: Severity): readonly Found[] {
  const tools = new Map<string | null, string>()
  return steps.flatMap(step => {
    switch (step.kind) {
      case 'assistant':
        for (const { id, tool } of step.calls) tools.set(id, shownName(tool))
        return assistantFindings(step)
      case 'results':
        return resultsFindings(step, tools)
      case 'unread':
        return [unreadFinding(step, unknown)]
      case 'other':
        return []
    }
  })
}

/** Ids that a later message uses again. @param severity how grave the format takes it */
export function reusedIds(steps: readonly Step[], severity: Severity): readonly Found[] {
  const seen = new Set<string>()
  return steps.flatMap(step => {
    if (step.kind !== 'assistant') return []
    const reused = step.calls.filter(({ id }) => id !== null && seen.has(id))
    for (const { id } of step.calls) if (id !== null) seen.add(id)
    return reused.map(call =>
      found('id-reused', call.at, shownName(call.tool), `A call of an earlier message has the id ${quoted(call.id ?? '')} too.`, severity),
    )
  })
}

function assistantFindings({ calls, said, truncated, at }: Assistant): readonly Found[] {
  const cut = truncated && calls.length > 0
  return [
    ...(cut ? [found('round-truncated', at, null, 'The message was cut off, and its calls stayed in the history.')] : []),
    ...calls.flatMap(argumentFindings),
    ...said
      .filter(({ text }) => looksLikeCall(text))
      .map(({ at: place }) => found('text-like-call', place, null, 'The text looks like a call.')),
  ]
}

function argumentFindings(call: Call): readonly Found[] {
  const why = whyUnreadable(call)
  if (why === null) return []
  return [
    found(
      'arguments-unreadable',
      call.at,
      shownName(call.tool),
      `The arguments of the call ${quoted(call.id ?? '')} cannot be read. ${why}`,
    ),
  ]
}

/** In words of ours: nothing of what was written is repeated. */
function whyUnreadable({ arguments: written }: Call): string | null {
  switch (written.kind) {
    case 'free':
      return null
    case 'value':
      return isJsonObject(written.value) ? null : 'They are not an object.'
    case 'text': {
      const read = readArguments(written.text)
      return read.ok ? null : read.problem.text
    }
  }
}

/** @param tools by the ids of the calls so far */
function resultsFindings({ at, results, mixed }: Results, tools: ReadonlyMap<string | null, string>): readonly Found[] {
  return [
    ...(mixed ? [found('results-mixed', at, null, 'Something else stands before the results of the message, or among them.')] : []),
    ...results
      .filter(result => result.empty)
      .map(({ at: place, id }) =>
        found('result-empty', place, tools.get(id) ?? null, `The result of the call ${quoted(id ?? '')} is empty.`),
      ),
  ]
}

function unreadFinding({ at, foreign }: Extract<Step, { kind: 'unread' }>, unknown: Severity): Found {
  return foreign
    ? found('format-mixed', at, null, 'The message calls, or answers, in another format than the rest.')
    : found('message-unknown', at, null, 'This is no message of the format.', unknown)
}
