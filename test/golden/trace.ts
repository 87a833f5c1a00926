// One line for an event: what of its payload tells the story. Exhaustive, so that a new event cannot go unseen.

import type { Event, EventOf } from '../../machines/events.ts'
import { GATES } from '../../machines/events/shapes.ts'
import type { RoundItem } from '../../machines/events/round.ts'
import type { Principal } from '../../machines/principal.ts'
import type { ToolResult } from '../../machines/tool.ts'

const TYPE_WIDTH = 25

export function eventLine(event: Event): string {
  const head = `${String(event.version).padStart(4)} ${event.type.padEnd(TYPE_WIDTH)}`
  const who = event.actor.kind === 'worker' ? '' : ` [${event.actor.id}]`
  return `${head} ${telling(event)}${who}`.trimEnd()
}

function telling(event: Event): string {
  switch (event.type) {
    case 'turn.opened': {
      const { principal, contentTrust, catalog, labels } = event.data
      const named = Object.entries(labels).map(([name, value]) => ` ${name}=${value}`)
      const offered = catalog.map(tool => tool.name).join(' ') || 'nothing'
      return `for ${principal?.id ?? 'nobody'}, ${contentTrust}, offers ${offered}${named.join('')}`
    }
    case 'attempt.started':
      return `attempt ${event.data.attempt}${event.data.despiteDoubt ? ', despite a doubt' : ''}`
    case 'round.requested':
      return `round ${event.data.round}`
    case 'round.recorded':
      return roundLine(event)
    case 'round.failed': {
      const { round, kind, status, backoffMs } = event.data
      return `round ${round} try ${event.data.try}: ${kind}${status === undefined ? '' : ` ${status}`}, waits ${backoffMs} ms`
    }
    case 'turn.cancelling':
      return `by ${party(event.data)}`
    case 'turn.completed':
      return JSON.stringify(event.data.output.value ?? event.data.output.text)
    case 'turn.exhausted':
      return event.data.limit
    case 'turn.failed':
      return `${event.data.code}${event.data.ordinal === undefined ? '' : ` over call ${event.data.ordinal}`}`
    case 'turn.refused':
    case 'turn.cancelled':
      return ''
    case 'approval.granted':
    case 'approval.denied':
    case 'approval.expired':
    case 'approval.turned-away':
    case 'clarification.asked':
    case 'clarification.answered':
    case 'clarification.expired':
    case 'clarification.turned-away':
      return peopleLine(event)
    default:
      return callLine(event)
  }
}

type PeopleEvent = Extract<Event, { type: `approval.${string}` | `clarification.${string}` }>

function peopleLine(event: PeopleEvent): string {
  const { ordinal } = event.data
  switch (event.type) {
    case 'approval.granted': {
      const { edited, contentTrust, answers } = event.data
      const given = answers ?? edited?.arguments
      return `${ordinal} by ${party(event.data)}, ${contentTrust}${given === undefined ? '' : `, with ${JSON.stringify(given)}`}`
    }
    case 'approval.denied':
      return `${ordinal} by ${party(event.data)}${event.data.reason === undefined ? '' : `: ${event.data.reason}`}`
    case 'approval.turned-away':
    case 'clarification.turned-away':
      return `${ordinal} ${party(event.data)}: ${event.data.reason}`
    case 'approval.expired':
    case 'clarification.expired':
      return `${ordinal} at ${event.data.deadline}`
    case 'clarification.asked':
      return `${ordinal} ${event.data.tool} ${JSON.stringify(event.data.arguments)} until ${event.data.expiresAt}`
    case 'clarification.answered':
      return `${ordinal} by ${party(event.data)}: ${JSON.stringify(event.data.answer)}`
  }
}

type CallEvent = Extract<Event, { type: `call.${string}` }>

function callLine(event: CallEvent): string {
  switch (event.type) {
    case 'call.admitted':
      return `${called(event.data)} ${JSON.stringify(event.data.arguments)} through ${trail(event.data.trail)}`
    case 'call.held': {
      const { reason, contentTrust, expiresAt, approvers } = event.data
      const whom = approvers === null ? 'the acting person' : approvers.map(each => each.id).join(' or ')
      return `${called(event.data)} ${JSON.stringify(event.data.arguments)} for ${whom}: ${reason}, ${contentTrust}, until ${expiresAt}`
    }
    case 'call.invalid':
    case 'call.refused':
      return `${called(event.data)} at ${event.data.gate}: ${event.data.reason}, behind ${trail(event.data.trail)}`
    case 'call.suppressed':
      return `${called(event.data)} at ${event.data.gate}: ${event.data.reason} of call ${event.data.of}`
    case 'call.ended':
      return `${called(event.data)}: ${event.data.reason}`
    case 'call.dispatched':
      return `${called(event.data)} dispatch ${event.data.dispatch}, key ${event.data.invocationId.slice(0, 8)}`
    case 'call.failed': {
      const { ordinal, dispatch, kind, backoffMs } = event.data
      return `${ordinal} dispatch ${dispatch} try ${event.data.try}: ${kind}, waits ${backoffMs} ms`
    }
    case 'call.recorded':
      return `${called(event.data)} dispatch ${event.data.dispatch} ${event.data.ended}${told(event.data)}, ${event.data.contentTrust}`
    case 'call.inquired':
      return `${called(event.data)} dispatch ${event.data.dispatch} wants to know ${JSON.stringify(event.data.forms)}`
    case 'call.settled': {
      const { dispatch, settled, by, recorded } = event.data
      return `${called(event.data)} dispatch ${dispatch} ${settled}, says ${by}${recorded === undefined ? '' : told(recorded)}`
    }
    case 'call.late':
      return `${event.data.ordinal} dispatch ${event.data.dispatch} ${event.data.ended} after all`
  }
}

function roundLine({ data }: EventOf<'round.recorded'>): string {
  const { round, completion, items, output, anomalies } = data
  const verdict = output === null ? '' : output.valid ? ', output fits' : ', output does not fit'
  const odd = anomalies.length === 0 ? '' : ` (${anomalies.join(', ')})`
  return `${round} ${completion}: ${items.map(itemText).join('; ') || 'nothing'}${verdict}${odd}`
}

function itemText(item: RoundItem): string {
  switch (item.kind) {
    case 'text':
      return `says ${JSON.stringify(item.text)}`
    case 'call':
      return `calls ${item.ordinal} ${item.name} ${item.arguments}`
    case 'opaque':
      return 'an opaque block'
    case 'provider-tool':
      return `ran ${item.name} itself`
  }
}

function called({ ordinal, tool }: { readonly ordinal: number; readonly tool: string }): string {
  return `${ordinal} ${tool}`
}

function party({ by, via }: { readonly by: Principal; readonly via: string }): string {
  return `${by.id} via ${via}`
}

function trail(passed: readonly string[]): string {
  if (passed.length === GATES.length) return 'all gates'
  return passed.length === 0 ? 'no gate' : passed.join(' ')
}

/** The first line of a result, shortened. Only texts have one. */
function told({ result, truncated }: { readonly result: ToolResult; readonly truncated: boolean }): string {
  const [block] = result.content
  const text = typeof block?.text === 'string' ? block.text : (block?.type ?? '')
  const [line = ''] = text.split('\n')
  const shown = line.length > 60 ? `${line.slice(0, 60)}…` : line
  return ` ${result.isError === true ? 'an error ' : ''}${JSON.stringify(shown)}${truncated ? ', cut short' : ''}`
}
