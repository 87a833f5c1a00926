// The transcript of an earlier turn as the first input of another one: data, never executed or believed (C10).

import type { Message, MessageItem, PairedResult } from './ports/model.ts'
import type { TurnState } from './state.ts'
import { transcript } from './transcript.ts'

/** The messages of a turn that has ended, under call ids that no call of a later turn is given (B3). */
export function historyOf(followed: TurnState): readonly Message[] {
  let calls = 0
  let names = new Map<string, string>()
  const rename = (item: MessageItem): MessageItem => {
    if (item.kind !== 'call') return item
    calls += 1
    const id = `past_${calls}`
    names.set(item.id, id)
    return { ...item, id }
  }
  const renamed = (result: PairedResult): PairedResult => ({ ...result, id: names.get(result.id) ?? result.id })
  return transcript(followed).map((message): Message => {
    if (message.role === 'tool') return { role: 'tool', results: message.results.map(renamed) }
    if (message.role !== 'assistant') return message
    names = new Map()
    return { role: 'assistant', content: message.content.map(rename) }
  })
}
