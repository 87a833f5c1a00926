// Recorded conversations of a model that acts as an airline's agent, from a folder beside the checkout; it is not part of the project.

import { existsSync, readFileSync } from 'node:fs'

const FOLDER = new URL('../../../shared/data/airline/', import.meta.url)

type RecordedMessage =
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string | null; readonly tool_calls?: readonly RecordedCall[] }
  | { readonly role: 'tool'; readonly name: string; readonly content: string }

type RecordedCall = { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }

/** What the model said in one round, and what it was told its calls gave. */
export type Round = {
  readonly text: string | null
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string; readonly result: string }[]
}

/** One message of the user and all that followed, up to the next: what a turn is made of. */
export type Stretch = { readonly plan: string; readonly text: string; readonly rounds: readonly Round[] }
export type Conversation = { readonly name: string; readonly stretches: readonly Stretch[] }
export type Recorded = { readonly system: string; readonly conversations: readonly Conversation[] }

export function callsIn({ rounds }: Stretch): number {
  return rounds.reduce((sum, { calls }) => sum + calls.length, 0)
}

const READS = /^(get|search|list)_|^(calculate|think)$/

/** Calls that do something to the world. */
export function writesIn({ stretches }: Conversation): number {
  return stretches.flatMap(({ rounds }) => rounds.flatMap(({ calls }) => calls)).filter(({ name }) => !READS.test(name)).length
}

/** Null where the folder is not there. */
export function readRecorded(): Recorded | null {
  if (!existsSync(FOLDER)) return null
  const lines = readFileSync(new URL('conversations.jsonl', FOLDER), 'utf8')
    .split('\n')
    .filter(line => line !== '')
  return { system: readFileSync(new URL('system.txt', FOLDER), 'utf8'), conversations: lines.map(readConversation) }
}

function readConversation(line: string): Conversation {
  const { task, trial, messages } = JSON.parse(line) as { task: number; trial: number; messages: readonly RecordedMessage[] }
  const name = `task ${task}, trial ${trial}`
  const starts = messages.flatMap((message, index) => (message.role === 'user' ? [index] : []))
  const stretches = starts.flatMap((start, number) => {
    const [first, ...rest] = messages.slice(start, starts[number + 1])
    const stretch = { plan: `${name}, ${number + 1}`, text: first?.content ?? '', rounds: roundsOf(rest) }
    // The last word of a user is often one that nobody answers.
    return rest.length === 0 ? [] : [stretch]
  })
  return { name, stretches }
}

/** Results stand right behind the calls they belong to, in their order. Where the recording ends with one, nothing more was said. */
function roundsOf(messages: readonly RecordedMessage[]): readonly Round[] {
  const rounds = messages.flatMap((message, index): readonly Round[] => {
    if (message.role !== 'assistant') return []
    const calls = message.tool_calls ?? []
    const results = messages.slice(index + 1, index + 1 + calls.length)
    return [
      {
        text: message.content,
        calls: calls.map((call, at) => ({ id: call.id, ...call.function, result: results[at]?.content ?? '' })),
      },
    ]
  })
  return messages.at(-1)?.role === 'tool' ? [...rounds, { text: null, calls: [] }] : rounds
}
