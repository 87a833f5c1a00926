// The transcript: what the model is sent, rebuilt from the state alone. Every call has exactly one paired result, in call
// order, all in one message (B3); a truncated round is not part of it (B4).

import type { RoundRecorded, RoundItem } from './events/round.ts'
import type { Json } from './json.ts'
import type { Message, MessageItem, ModelRequest, PairedResult } from './ports/model.ts'
import { askInstruction, deniedText, expiredText, notRunText, outputInstruction } from './repair.ts'
import { callsOfRound, outcomeOf, type CallState, type TurnState } from './state.ts'
import type { ToolResult } from './tool.ts'

/** The request for the next round. Digested as it stands here, before any adapter maps it (D8). */
export function modelRequest(state: TurnState): ModelRequest {
  const { opened } = state
  return {
    system: systemPrompt(state),
    messages: transcript(state),
    tools: opened.catalog
      .filter(tool => tool.quarantined === undefined)
      .map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    output: opened.output,
    providerTools: opened.providerTools,
    callsPerRound: opened.limits.callsPerRound,
    truncations: truncationsInARow(state),
  }
}

function systemPrompt(state: TurnState): string | null {
  const { system, ask, output } = state.opened
  const parts = [
    system,
    ask === null ? undefined : askInstruction(ask),
    output?.mode === 'prompted' ? outputInstruction(output.schema) : undefined,
  ].filter(part => part !== undefined)
  return parts.length === 0 ? null : parts.join('\n\n')
}

/** All messages of the attempt so far. */
export function transcript(state: TurnState): readonly Message[] {
  const messages: Message[] = [...(state.opened.history as unknown as readonly Message[])]
  for (const { role, text } of state.opened.input) {
    messages.push(role === 'assistant' ? { role, content: [{ kind: 'text', text }] } : { role, text })
  }
  for (const round of state.rounds) messages.push(...roundMessages(state, round))
  return messages
}

function roundMessages(state: TurnState, round: RoundRecorded): readonly Message[] {
  if (round.completion === 'truncated') return []
  const assistant: Message = { role: 'assistant', content: round.items.map(messageItem) }
  const calls = callsOfRound(state, round.round)
  if (calls.length > 0) return [assistant, { role: 'tool', results: calls.map(pairedResult) }]
  if (round.output !== null && !round.output.valid) return [assistant, { role: 'user', text: round.output.text }]
  return [assistant]
}

function messageItem(item: RoundItem): MessageItem {
  if (item.kind !== 'call') return item
  const { kind, id, name, extra } = item
  return { kind, id, name, arguments: item.arguments, ...(extra === undefined ? {} : { extra }) }
}

/** The one result of a call, whatever its outcome. */
export function pairedResult(call: CallState): PairedResult {
  const outcome = outcomeOf(call) ?? 'ended-turn'
  return { id: call.item.id, tool: call.item.name, outcome, result: resultOf(call) }
}

function resultOf(call: CallState): ToolResult {
  if (call.recorded !== null) return call.recorded.result
  if (call.answer !== null) return { content: [{ type: 'text', text: answerText(call.answer.value) }] }
  return { content: [{ type: 'text', text: stopText(call) }], isError: true }
}

function answerText(answer: Json): string {
  if (typeof answer !== 'string') return JSON.stringify(answer)
  return answer === '' ? '(an empty answer)' : answer
}

function stopText(call: CallState): string {
  if (call.stop === null) return notRunText()
  if (call.stop.reason === 'denied') return deniedText()
  if (call.stop.reason === 'expired') return expiredText()
  return call.stop.text === '' ? notRunText() : call.stop.text
}

/** Truncated rounds right before the next one. */
export function truncationsInARow(state: TurnState): number {
  const last = state.rounds.findLastIndex(round => round.completion !== 'truncated')
  return state.rounds.length - 1 - last
}
