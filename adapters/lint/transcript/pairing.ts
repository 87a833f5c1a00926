// Calls and results that are not paired (B3, G5). Whether a history is paired at all is the core's to say; here is what is wrong
// with one that is not.

import { pairingProblems } from '../../../machines/pairing.ts'
import type { Message, MessageItem, PairedResult } from '../../../machines/ports/model.ts'
import { quoted, shownName, type Severity } from '../finding.ts'
import { book, windowEnd, type Asked, type Book, type Stray } from './book.ts'
import type { Call, Result, Results, Step } from './history.ts'
import { found, type Found } from './words.ts'

/** @param late how grave a result is that stands later than right behind its call */
export function pairingFindings(steps: readonly Step[], late: Severity): readonly Found[] {
  if (pairingProblems(steps.map(neutral)).length === 0) return []
  const kept = book(steps)
  return [
    ...[...kept.rounds].flatMap(([step, round]) => roundFindings(step, round, kept, late)),
    ...kept.strays.map(stray => strayFinding(stray, kept)),
  ]
}

/** A step as the core knows it. An id that is missing pairs with nothing. */
function neutral(step: Step): Message {
  switch (step.kind) {
    case 'assistant':
      return { role: 'assistant', content: step.calls.map(neutralCall) }
    case 'results':
      return { role: 'tool', results: step.results.map(neutralResult) }
    case 'other':
    case 'unread':
      return { role: 'user', text: '' }
  }
}

function neutralCall({ id, tool }: Call, index: number): MessageItem {
  return { kind: 'call', id: id ?? `missing ${index}`, name: tool, arguments: '' }
}

function neutralResult({ id }: Result): PairedResult {
  return { id: id ?? '', tool: '', outcome: 'executed', result: { content: [] } }
}

function roundFindings(step: number, round: readonly Asked[], { steps }: Book, late: Severity): readonly Found[] {
  const end = windowEnd(steps, step)
  const window = steps.slice(step + 1, end) as readonly Results[]
  return [
    ...repeatedIds(round),
    ...round.flatMap(asked => (asked.answers.length === 0 ? [unanswered(asked, round, step, steps)] : answeredBadly(asked, end, late))),
    ...splitFindings(round, window, step + 1),
    ...orderFindings(round),
  ]
}

function repeatedIds(round: readonly Asked[]): readonly Found[] {
  const seen = new Set<string>()
  return round.flatMap(({ call }): readonly Found[] => {
    if (call.id === null) return []
    if (seen.has(call.id))
      return [found('id-repeated', call.at, shownName(call.tool), `Two calls of the message have the id ${named(call)}.`)]
    seen.add(call.id)
    return []
  })
}

function answeredBadly({ call, answers: [first, ...more] }: Asked, end: number, late: Severity): readonly Found[] {
  const tool = shownName(call.tool)
  const twice = more.map(({ result }) => found('result-twice', result.at, tool, `The call ${named(call)} has another result already.`))
  if (first === undefined || first.step < end) return twice
  return [found('result-late', call.at, tool, `The result of the call ${named(call)} does not stand right behind it.`, late), ...twice]
}

function unanswered({ call }: Asked, round: readonly Asked[], step: number, steps: readonly Step[]): Found {
  const tool = shownName(call.tool)
  if (call.id === null) return found('id-missing', call.at, tool, 'The call has no id.')
  if (step === steps.length - 1)
    return found('trimmed-behind-call', call.at, tool, `The history ends behind the call ${named(call)}, before its result.`)
  const strangers = steps[step + 1]?.kind === 'results' && round.every(({ answers }) => answers.length === 0)
  if (strangers)
    return found(
      'trimmed-behind-call',
      call.at,
      tool,
      `Behind the call ${named(call)} stand only results of other calls: what stood between was taken out.`,
    )
  return found('call-without-result', call.at, tool, `The call ${named(call)} has no result.`)
}

/** @param first index of the first step of the window */
function splitFindings(round: readonly Asked[], window: readonly Results[], first: number): readonly Found[] {
  return window.slice(1).flatMap((step, behind): readonly Found[] => {
    const one = round.find(({ answers }) => answers[0]?.step === first + 1 + behind)
    if (one === undefined) return []
    const what = `The results of the calls of one message stand in several: here that of ${named(one.call)}.`
    return [found('results-split', step.at, shownName(one.call.tool), what)]
  })
}

/** Only where all results stand in one message: of what is split, that is said. */
function orderFindings(round: readonly Asked[]): readonly Found[] {
  const given = round.flatMap(({ call, answers: [first] }) => (first === undefined ? [] : [{ call, ...first }]))
  if (given.some(answer => answer.step !== given[0]?.step)) return []
  const early = given.find(({ nth }, index) => index > 0 && nth < (given[index - 1]?.nth ?? 0))
  if (early === undefined) return []
  const what = `The results stand in another order than their calls: that of ${named(early.call)} before one of an earlier call.`
  return [found('results-reordered', early.result.at, shownName(early.call.tool), what)]
}

function strayFinding({ result, step }: Stray, { rounds }: Book): Found {
  const { at, id } = result
  if (id === null) return found('id-missing', at, null, 'The result does not name its call.')
  const [firstRound] = rounds.keys()
  if (firstRound === undefined || firstRound > step) {
    return found('trimmed-before-result', at, null, `The history begins behind the call of the result ${quoted(id)}.`)
  }
  return found('result-without-call', at, null, `No call before it has the id of the result ${quoted(id)}.`)
}

function named({ id }: Call): string {
  return quoted(id ?? '')
}
