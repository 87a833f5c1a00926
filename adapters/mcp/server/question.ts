// A hold or an ask as questions to the person at the client (E5). What is shown is the redacted copy, whole, in a form that no text in
// it can pass for words of the host.

import { inputRequired, type ElicitRequestFormParams, type InputRequests } from '@modelcontextprotocol/server'
import { isJsonObject, type Json } from '../../../machines/json.ts'
import type { ApprovalRow } from '../../../machines/ports/rows.ts'
import { sameParty } from '../../../machines/principal.ts'
import { isoTime } from '../../../machines/time.ts'
import { safeJson, safeText } from '../../cli/text.ts'
import type { Caller } from './caller.ts'

/** May it run; what is the answer to the model; what is the answer to a tool that runs. */
export type QuestionKind = 'approval' | 'clarification' | 'inquiry'

/** The name of a question that stands alone. */
const QUESTION = 'question'

export type Form = ElicitRequestFormParams['requestedSchema']

export function kindOf({ kind, reason }: ApprovalRow): QuestionKind {
  return kind === 'approval' && reason === 'inquiry' ? 'inquiry' : kind
}

/** May this caller decide it at all? Whoever may not is not asked; what counts is judged again when an answer comes. */
export function mayDecide({ contentTrust, approvers }: ApprovalRow, { principal }: Caller): boolean {
  if (principal === null || principal.kind !== 'person') return false
  return contentTrust === 'untrusted' || approvers === null || approvers.some(approver => sameParty(approver, principal))
}

/** @param answer schema of the answer to an ask, where its tool has one; null where a form cannot ask what is to be asked */
export function questionsFor(row: ApprovalRow, answer: unknown): InputRequests | null {
  switch (kindOf(row)) {
    case 'approval':
      return { [QUESTION]: asked(approvalText(row), DECISION) }
    case 'clarification':
      return { [QUESTION]: asked(askText(row.arguments), formOf(answer) ?? PLAIN_ANSWER) }
    case 'inquiry':
      return inquiryQuestions(row)
  }
}

function asked(message: string, requestedSchema: Form): InputRequests[string] {
  return inputRequired.elicit({ mode: 'form', message, requestedSchema })
}

/** Where nobody can be asked over this line. */
export function waitingText(row: ApprovalRow): string {
  const where = `It is ${row.approvalId}, open until ${isoTime(row.expiresAt)}; it can be decided in the application of the host.`
  switch (kindOf(row)) {
    case 'approval':
      return `This call waits for the approval of a person and has not run. ${where}`
    case 'clarification':
      return `This call waits for the answer of a person. ${where}`
    case 'inquiry':
      return `This call has begun, and its tool waits for the answer of a person before it goes on. ${where}`
  }
}

const DECISION: Form = {
  type: 'object',
  properties: {
    decision: { type: 'string', title: 'Decision', enum: ['approve', 'deny'] },
    reason: { type: 'string', title: 'Reason', description: 'Why not; only for a denial.', maxLength: 2_000 },
  },
  required: ['decision'],
}

function approvalText({ tool, arguments: shown, reason, expiresAt, approvalId }: ApprovalRow): string {
  return [
    `May this call run? ${whyText(reason)}`,
    `Tool: ${safeText(tool)}`,
    `Arguments, with secrets masked: ${safeJson(shown, 2)}`,
    `Open until ${isoTime(expiresAt)}, as ${approvalId}.`,
  ].join('\n')
}

function whyText(reason: string): string {
  if (reason === 'untrusted') return 'It was not written by you, and what it was written from is not trusted.'
  return reason === 'policy' ? 'The policy of the host asks for a person.' : 'It always asks for a person.'
}

/** A question has one text as a rule; else all that was asked with is shown. */
function askText(given: unknown): string {
  const values: readonly unknown[] = isJsonObject(given) ? Object.values(given) : []
  return values.length === 1 && typeof values[0] === 'string' ? safeText(values[0]) : safeJson(given, 2)
}

/** Each form that a running tool wants answered, under the tool's own name for it. */
function inquiryQuestions({ tool, arguments: shown }: ApprovalRow): InputRequests | null {
  const forms = isJsonObject(shown) && isJsonObject(shown['forms']) ? Object.entries(shown['forms']) : []
  const questions = forms.map(([name, wanted]) => {
    const form = isJsonObject(wanted) ? formOf(wanted['schema']) : null
    const says = isJsonObject(wanted) ? safeJson(wanted['message']) : ''
    return form === null ? null : ([name, asked(`The tool ${safeText(tool)} asks before it goes on: ${says}`, form)] as const)
  })
  const all = questions.filter(question => question !== null)
  return all.length === 0 || all.length < forms.length ? null : Object.fromEntries(all)
}

const PLAIN_ANSWER: Form = { type: 'object', properties: { answer: { type: 'string', title: 'Answer' } }, required: ['answer'] }
const PRIMITIVES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean'])

/** A schema as a form, where a form can show it: an object of plain fields. */
export function formOf(schema: unknown): Form | null {
  if (!isJsonObject(schema) || !isJsonObject(schema['properties'])) return null
  const { properties, required } = schema
  const fields = Object.values(properties)
  if (fields.length === 0 || !fields.every(isField)) return null
  return { type: 'object', properties, ...(Array.isArray(required) ? { required } : {}) } as unknown as Form
}

function isField(field: Json): boolean {
  if (!isJsonObject(field)) return false
  if (field['type'] !== 'array') return PRIMITIVES.has(field['type'])
  const { items } = field
  return isJsonObject(items) && (Array.isArray(items['enum']) || Array.isArray(items['anyOf']))
}
