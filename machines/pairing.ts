// A checker for any transcript: every call has exactly one result, right behind it, in one message, in call order (B3, G5).

import type { Message, MessageItem } from './ports/model.ts'

/** Where a transcript is not paired: index of the message, and what is wrong with it. */
export type PairingProblem = { readonly message: number; readonly problem: string }

/** All that is wrong with the pairing of a transcript; empty when each call has its one result. */
export function pairingProblems(messages: readonly Message[]): readonly PairingProblem[] {
  return messages.flatMap((message, index) => {
    const problem = message.role === 'tool' ? resultsProblem(messages[index - 1], message) : callsProblem(message, messages[index + 1])
    return problem === null ? [] : [{ message: index, problem }]
  })
}

/** Calls whose results are not in the message behind them. */
function callsProblem(message: Message, next: Message | undefined): string | null {
  const calls = callIds(message)
  if (new Set(calls).size < calls.length) return 'two of its calls have one id'
  return calls.length > 0 && next?.role !== 'tool' ? 'no results stand behind its calls' : null
}

/** Results that are not those of the calls before them. */
function resultsProblem(previous: Message | undefined, message: Extract<Message, { role: 'tool' }>): string | null {
  const calls = previous === undefined ? [] : callIds(previous)
  if (calls.length === 0) return 'its results belong to no call'
  const results = message.results.map(result => result.id)
  if (results.length !== calls.length) return `${results.length} results stand behind ${calls.length} calls`
  return results.every((id, index) => id === calls[index]) ? null : 'its results are not in the order of the calls'
}

function callIds(message: Message): string[] {
  return message.role === 'assistant' ? message.content.filter(isCall).map(item => item.id) : []
}

function isCall(item: MessageItem): item is Extract<MessageItem, { kind: 'call' }> {
  return item.kind === 'call'
}
