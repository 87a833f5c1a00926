// One event in a few words, for people who read a stream.

import type { Event, EventOf } from '../../machines/events.ts'
import type { RecordedResult } from '../../machines/events/shapes.ts'
import type { ContentBlock } from '../../machines/tool.ts'
import { safeJson } from './text.ts'

const MOST_CHARACTERS = 120

/** A text that is shown in passing: its beginning, and how much more there is. */
function briefly(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}… (${text.length - MOST_CHARACTERS} more)`
}

export function partyText({ issuer, id }: { readonly issuer: string; readonly id: string }): string {
  return `${issuer}/${id}`
}

/** What an event says, in one line that is not yet safe for a terminal. */
export function eventWords(event: Event): string {
  if (event.type.startsWith('call.')) return callWords(event as EventOf<CallType>)
  return otherWords(event as Exclude<Event, { type: CallType }>)
}

type CallType = Extract<Event['type'], `call.${string}`>

function callWords(event: EventOf<CallType>): string {
  const { data } = event
  const call = 'tool' in data ? `call ${data.ordinal} ${data.tool}` : `call ${data.ordinal}`
  switch (event.type) {
    case 'call.admitted':
      return `${call}: ${briefly(safeJson(event.data.arguments))}`
    case 'call.held':
      return `${call}: ${event.data.reason}; waits until ${event.data.expiresAt} as ${event.data.approvalId}`
    case 'call.invalid':
    case 'call.refused':
      return `${call}: ${event.data.reason} (gate ${event.data.gate})`
    case 'call.suppressed':
      return `${call}: repeats call ${event.data.of}`
    case 'call.ended':
      return `${call}: ${event.data.reason}${event.data.gate === null ? '' : ` (gate ${event.data.gate})`}`
    case 'call.dispatched':
      return `${call}: dispatch ${event.data.dispatch}`
    case 'call.failed':
      return `${call}: try ${event.data.try} of dispatch ${event.data.dispatch} ${event.data.kind}; the next one in ${event.data.backoffMs} ms`
    case 'call.recorded':
      return `${call}: ${event.data.ended}, ${resultText(event.data)}`
    case 'call.inquired':
      return `${call}: dispatch ${event.data.dispatch} wants to know ${briefly(safeJson(event.data.forms))}`
    case 'call.settled':
      return `${call}: dispatch ${event.data.dispatch} ${event.data.settled}, says ${event.data.by}`
    case 'call.late':
      return `${call}: dispatch ${event.data.dispatch} ${event.data.ended} late, ${event.data.bytes} bytes`
  }
}

function otherWords(event: Exclude<Event, { type: CallType }>): string {
  switch (event.type) {
    case 'turn.opened':
      return openedWords(event)
    case 'attempt.started':
      return `attempt ${event.data.attempt}${event.data.despiteDoubt ? ', despite a doubt' : ''}`
    case 'round.requested':
      return `round ${event.data.round}`
    case 'round.recorded':
      return roundWords(event)
    case 'round.failed':
      return `round ${event.data.round}: try ${event.data.try} ${event.data.kind} ${event.data.status ?? ''}`.trimEnd()
    case 'approval.granted':
      return `call ${event.data.ordinal}: by ${partyText(event.data.by)} via ${event.data.via}${grantedHow(event.data)}`
    case 'approval.denied':
      return `call ${event.data.ordinal}: by ${partyText(event.data.by)} via ${event.data.via}${reasonText(event.data.reason)}`
    case 'approval.expired':
      return `call ${event.data.ordinal}: its deadline was ${event.data.deadline}`
    case 'approval.turned-away':
    case 'clarification.turned-away':
      return `call ${event.data.ordinal}: ${partyText(event.data.by)} via ${event.data.via}: ${event.data.reason}`
    case 'clarification.asked':
      return `call ${event.data.ordinal}: ${briefly(safeJson(event.data.arguments))}; waits until ${event.data.expiresAt}`
    case 'clarification.answered':
      return `call ${event.data.ordinal}: by ${partyText(event.data.by)}: ${briefly(safeJson(event.data.answer))}`
    case 'clarification.expired':
      return `call ${event.data.ordinal}: its deadline was ${event.data.deadline}`
    case 'turn.cancelling':
      return `by ${partyText(event.data.by)}`
    case 'turn.completed':
      return briefly(event.data.output.text)
    case 'turn.exhausted':
      return `limit ${event.data.limit}`
    case 'turn.failed':
      return `${event.data.code}: ${event.data.message}`
    case 'turn.refused':
    case 'turn.cancelled':
      return ''
  }
}

function grantedHow({ edited, answers }: EventOf<'approval.granted'>['data']): string {
  if (answers !== undefined) return `: ${briefly(safeJson(answers))}`
  return edited === null ? '' : ', with edited arguments'
}

function openedWords({ data }: EventOf<'turn.opened'>): string {
  const who = data.principal === null ? 'for nobody' : `for ${partyText(data.principal)}`
  const tools = data.catalog.length === 1 ? '1 tool' : `${data.catalog.length} tools`
  return `${who}, ${data.contentTrust}, ${tools}: ${briefly(data.input.map(({ text }) => text).join(' '))}`
}

function roundWords({ data }: EventOf<'round.recorded'>): string {
  const calls = data.items.flatMap(item => (item.kind === 'call' ? [`${item.ordinal} ${item.name}`] : []))
  const text = data.items.flatMap(item => (item.kind === 'text' ? [item.text] : [])).join(' ')
  const said = [calls.length > 0 ? `calls ${calls.join(', ')}` : '', text === '' ? '' : briefly(text)].filter(part => part !== '')
  return [`round ${data.round}: ${data.stop}${data.completion === 'clean' ? '' : ` (${data.completion})`}`, ...said].join('; ')
}

function reasonText(reason: string | undefined): string {
  return reason === undefined ? '' : `: ${briefly(reason)}`
}

function resultText({ result, bytes, truncated }: RecordedResult): string {
  const kind = result.isError === true ? 'an error, ' : ''
  return `${kind}${bytes} bytes${truncated ? ', not kept whole' : ''}: ${briefly(result.content.map(blockText).join(' '))}`
}

/** A block of content: its text, or what kind of thing it is. */
export function blockText(block: ContentBlock): string {
  return typeof block['text'] === 'string' ? block['text'] : `[${block.type}]`
}
