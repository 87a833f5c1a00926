// A transcript beside the recording it was made from, both in the same plain words.

import { expect } from 'vitest'
import { pairingProblems } from '../../machines/pairing.ts'
import type { Message } from '../../machines/ports/model.ts'
import type { Runtime } from '../../machines/runtime/api.ts'
import type { Conversation, Stretch } from './recorded.ts'

/** Expects that the turns of a conversation replay to the same, and that the last one holds all that was recorded. */
export async function expectByteForByte(runtime: Runtime, { name, stretches }: Conversation, turns: readonly string[]): Promise<void> {
  for (const turn of turns) {
    expect(await runtime.replay(turn), name).toMatchObject({ same: true, state: 'completed', executions: 0, modelCalls: 0 })
  }
  const messages = (await runtime.messages(turns.at(-1) ?? '')) as unknown as readonly Message[]
  expect(fromTranscript(messages), name).toEqual(fromRecording(stretches))
  expect(pairingProblems(messages), name).toEqual([])
}

type Said =
  | { readonly user: string }
  | { readonly text: string; readonly calls: readonly { readonly name: string; readonly arguments: string }[] }
  | { readonly results: readonly { readonly tool: string; readonly outcome: string; readonly text: string }[] }

/** What a model reads where a tool gave an empty text: it is never given nothing (B9). */
const NOTHING = 'The tool ran and returned no content.'

function fromRecording(stretches: readonly Stretch[]): readonly Said[] {
  return stretches.flatMap(({ text: user, rounds }) => [
    { user },
    ...rounds.flatMap(({ text, calls }): readonly Said[] => {
      const spoken = { text: text ?? '', calls: calls.map(({ name, arguments: written }) => ({ name, arguments: written })) }
      const results = calls.map(({ name, result }) => ({ tool: name, outcome: 'executed', text: result === '' ? NOTHING : result }))
      return results.length === 0 ? [spoken] : [spoken, { results }]
    }),
  ])
}

function fromTranscript(messages: readonly Message[]): readonly Said[] {
  return messages.map((message): Said => {
    switch (message.role) {
      case 'system':
      case 'user':
        return { user: message.text }
      case 'assistant': {
        const text = message.content.map(item => (item.kind === 'text' ? item.text : '')).join('')
        const calls = message.content.flatMap(item => (item.kind === 'call' ? [{ name: item.name, arguments: item.arguments }] : []))
        return { text, calls }
      }
      case 'tool':
        return { results: message.results.map(({ tool, outcome, result }) => ({ tool, outcome, text: textOf(result.content) })) }
    }
  })
}

function textOf(content: readonly { readonly type: string }[]): string {
  return content.map(block => ('text' in block ? String(block.text) : '')).join('')
}
