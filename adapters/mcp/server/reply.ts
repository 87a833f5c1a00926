// What came back to a question: the words as they came, since only the exact ones count (C5).

import { inputResponse } from '@modelcontextprotocol/server'
import { isJsonObject, type Json, type JsonObject } from '../../../machines/json.ts'
import { compiledSchema } from '../../../machines/schemas/cache.ts'
import { formOf, type QuestionKind } from './question.ts'

/**
 * `none`: the client answered nothing, or nothing that can be an answer. `dismissed`: the person said neither yes nor no. `declined`:
 * they would not answer.
 */
export type Reply =
  | { readonly kind: 'none' }
  | { readonly kind: 'dismissed' }
  | { readonly kind: 'declined' }
  | { readonly kind: 'decision'; readonly decision: JsonObject }
  | { readonly kind: 'answer'; readonly answer: Json }

type Responses = { readonly [name: string]: unknown } | undefined

/**
 * @param names of the questions that were put
 * @param answer schema of the answer to an ask, where its tool has one
 */
export function readReply(kind: QuestionKind, names: readonly string[], responses: Responses, answer: unknown): Reply {
  const contents = new Map<string, JsonObject>()
  for (const name of names) {
    const response = inputResponse(responses, name)
    if (response.kind !== 'elicit') return { kind: 'none' }
    if (response.action === 'cancel') return { kind: 'dismissed' }
    if (response.action === 'decline') return { kind: 'declined' }
    const content: unknown = response.content
    if (!isJsonObject(content)) return { kind: 'none' }
    contents.set(name, content)
  }
  const [only = {}] = contents.values()
  switch (kind) {
    case 'approval':
      return { kind: 'decision', decision: decisionIn(only) }
    case 'clarification':
      return answerIn(only, answer)
    case 'inquiry':
      return { kind: 'decision', decision: { decision: 'approve', answers: Object.fromEntries(contents) } }
  }
}

/** A reason beside an approval is a note that an empty form leaves; it is no part of a decision. */
function decisionIn({ decision = null, reason }: JsonObject): JsonObject {
  return decision === 'deny' && typeof reason === 'string' && reason !== '' ? { decision, reason } : { decision }
}

function answerIn(content: JsonObject, schema: unknown): Reply {
  const form = formOf(schema)
  if (form === null) return typeof content['answer'] === 'string' ? { kind: 'answer', answer: content['answer'] } : { kind: 'none' }
  const compiled = compiledSchema(form as JsonObject)
  return compiled.ok && compiled.validate(content).ok ? { kind: 'answer', answer: content } : { kind: 'none' }
}
