// The form that every kind of history is read into: what its messages call, and which results they hold. Nothing else is kept
// but what the rules look at.

import type { Json } from '../../../machines/json.ts'

/** Where something stands: the index of its message, and the place inside of that, like `.content[0]`. */
export type Place = { readonly message: number; readonly inside: string }

/** Argument text as the model wrote it, a value that a client read out of it, or text that is meant to be free. */
export type Arguments =
  | { readonly kind: 'text'; readonly text: string | null }
  | { readonly kind: 'value'; readonly value: Json | undefined }
  | { readonly kind: 'free' }

export type Call = { readonly at: Place; readonly id: string | null; readonly tool: string; readonly arguments: Arguments }

export type Result = { readonly at: Place; readonly id: string | null; readonly empty: boolean }

/** Words of the model that are no call. */
export type Said = { readonly at: Place; readonly text: string }

/** One message, or several that count as one to those who read the format. */
export type Step =
  | {
      readonly kind: 'assistant'
      readonly at: Place
      readonly calls: readonly Call[]
      readonly said: readonly Said[]
      /** The model was cut off: by its output limit, or by that of its context. */
      readonly truncated: boolean
    }
  | {
      readonly kind: 'results'
      readonly at: Place
      readonly results: readonly Result[]
      /** Something stands beside the results, where the format does not take it. */
      readonly mixed: boolean
    }
  /** Somebody else speaks. */
  | { readonly kind: 'other'; readonly at: Place }
  /** Not read: a shape that nobody knows, or one of another format. */
  | { readonly kind: 'unread'; readonly at: Place; readonly foreign: boolean }

export type Assistant = Extract<Step, { kind: 'assistant' }>
export type Results = Extract<Step, { kind: 'results' }>

/** Neighbours of one kind become one step, where a format takes them for one. What was not read stands behind, and between none. */
export function joined(steps: readonly Step[], kinds: readonly ('assistant' | 'results')[]): readonly Step[] {
  const runs: Step[][] = []
  for (const step of steps.filter(each => each.kind !== 'unread')) {
    const run = runs.at(-1)
    if (run?.[0]?.kind === step.kind && kinds.some(kind => kind === step.kind)) run.push(step)
    else runs.push([step])
  }
  return [...runs.flatMap(run => (run.length === 1 ? run : oneOf(run))), ...steps.filter(each => each.kind === 'unread')]
}

function oneOf(run: readonly Step[]): readonly Step[] {
  const assistants = run.filter(step => step.kind === 'assistant')
  const results = run.filter(step => step.kind === 'results')
  const [assistant] = assistants
  const [first] = results
  return [
    ...(assistant === undefined
      ? []
      : [
          {
            ...assistant,
            calls: assistants.flatMap(step => step.calls),
            said: assistants.flatMap(step => step.said),
            truncated: assistants.some(step => step.truncated),
          },
        ]),
    ...(first === undefined
      ? []
      : [
          {
            ...first,
            results: results.flatMap(step => step.results),
            mixed: results.some(step => step.mixed),
          },
        ]),
  ]
}
