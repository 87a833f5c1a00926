// A turn on one page: what it is, what became of each call and why, and what happened when.

import type { Event } from '../../machines/events.ts'
import type { CallView } from '../../machines/runtime/api.ts'
import { epochMs, isoTime } from '../../machines/time.ts'
import type { Shown } from './drive.ts'
import { eventWords, partyText } from './event-words.ts'
import type { Ink } from './output.ts'
import { factOf, facts, indent, safeLine, safeText, table, type Fact } from './text.ts'

export function timelineText(shown: Shown, events: readonly Event[], ink: Ink): string {
  const parts = [facts(factsOf(shown)), callsText(shown.calls, ink), eventsText(events, ink), outputText(shown, ink)]
  return parts.filter(part => part !== null).join('\n\n')
}

function factsOf({ turnId, state, code, limit, attempt, usage, row }: Shown): readonly Fact[] {
  const labels = Object.entries(row.labels).map(([name, value]) => `${name}=${value}`)
  return [
    factOf('turn', turnId),
    factOf('state', [state, code, limit, row.parked ? 'parked' : null].filter(word => word !== null).join(', ')),
    factOf('attempt', attempt),
    factOf('opened', isoTime(row.openedAt)),
    factOf('for', row.principal === null ? 'nobody' : partyText(row.principal)),
    ...(row.key === null ? [] : [factOf('key', row.key)]),
    ...(labels.length === 0 ? [] : [factOf('labels', labels.join(' '))]),
    factOf('tokens', `${usage.inputTokens} in, ${usage.outputTokens} out, ${usage.cachedTokens} cached`),
  ]
}

const CALLS_HEAD = ['CALL', 'ROUND', 'TOOL', 'STATE', 'DISPATCHES', 'GATE', 'REASON', 'APPROVAL']

function callsText(calls: readonly CallView[], ink: Ink): string | null {
  if (calls.length === 0) return null
  const rows = calls.map(({ ordinal, round, tool, state, dispatches, gate, reason, approvalId }) => [
    String(ordinal),
    String(round),
    tool,
    state,
    String(dispatches),
    gate ?? '-',
    reason ?? '-',
    approvalId ?? '-',
  ])
  return `${ink('bold', 'calls')}\n${indent(table(CALLS_HEAD, rows), 2)}`
}

const TYPE_WIDTH = 24

/** Each event with its distance from the first one. */
function eventsText(events: readonly Event[], ink: Ink): string | null {
  const [first] = events
  if (first === undefined) return null
  const lines = events.map(event => {
    const seconds = `+${((epochMs(event.time) - epochMs(first.time)) / 1000).toFixed(3)}`
    const place = `${String(event.version).padStart(4)}  ${seconds.padStart(10)}`
    return `${ink('dim', place)}  ${event.type.padEnd(TYPE_WIDTH)}  ${safeLine(eventWords(event))}`.trimEnd()
  })
  return `${ink('bold', 'timeline')}\n${lines.join('\n')}`
}

function outputText({ output }: Shown, ink: Ink): string | null {
  return output === null ? null : `${ink('bold', 'output')}\n${indent(safeText(output.text), 2)}`
}
