// A hold or an ask as a question to the person at the client, and the answer that comes back (E5). What is shown is the redacted
// copy, whole; what counts are the exact words (C5).

import { inputRequired, inputResponse, type ElicitRequestFormParams, type InputRequest } from '@modelcontextprotocol/server'
import { isJsonObject, type Json, type JsonObject } from '../../../machines/json.ts'
import type { ApprovalRow } from '../../../machines/ports/rows.ts'
import { sameParty } from '../../../machines/principal.ts'
import { compiledSchema } from '../../../machines/schemas/cache.ts'
import { isoTime } from '../../../machines/time.ts'
import type { ToolDescriptor } from '../../../machines/tool.ts'
import { safeJson, safeText } from '../../cli/text.ts'
import type { Caller } from './caller.ts'

/** The name of our one question among the input requests of a result. */
export const QUESTION = 'question'

type Form = ElicitRequestFormParams['requestedSchema']

/** May this caller decide it at all? Whoever may not is not asked; what counts is judged again when an answer comes. */
export function mayDecide({ contentTrust, approvers }: ApprovalRow, { principal }: Caller): boolean {
  if (principal === null || principal.kind !== 'person') return false
  return contentTrust === 'untrusted' || approvers === null || approvers.some(approver => sameParty(approver, principal))
}

export function questionFor(row: ApprovalRow, descriptor: ToolDescriptor | undefined): InputRequest {
  const asked =
    row.kind === 'approval'
      ? { message: approvalText(row), requestedSchema: DECISION }
      : { message: askText(row.arguments), requestedSchema: answerForm(descriptor) ?? PLAIN_ANSWER }
  return inputRequired.elicit({ mode: 'form', ...asked })
}

/** Where nobody can be asked over this line. */
export function waitingText({ kind, approvalId, expiresAt }: ApprovalRow): string {
  const what = kind === 'approval' ? 'the approval of a person' : 'the answer of a person'
  return `This call waits for ${what} and has not run. It is ${approvalId}, open until ${isoTime(expiresAt)}; it can be decided in the application of the host.`
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
  const texts = isJsonObject(given) ? Object.values(given).filter(value => typeof value === 'string') : []
  const [text] = texts
  return text !== undefined && texts.length === 1 && Object.keys(given as object).length === 1 ? safeText(text) : safeJson(given, 2)
}

const PLAIN_ANSWER: Form = { type: 'object', properties: { answer: { type: 'string', title: 'Answer' } }, required: ['answer'] }
const PRIMITIVES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean'])

/** What an ask tool says it returns is the form of its answer, where a form can show it: an object of plain fields. */
function answerForm(descriptor: ToolDescriptor | undefined): Form | null {
  const schema = descriptor?.outputSchema
  if (!isJsonObject(schema) || !isJsonObject(schema['properties'])) return null
  const fields = Object.values(schema['properties'])
  if (fields.length === 0 || !fields.every(isField)) return null
  const { properties, required } = schema
  return { type: 'object', properties, ...(Array.isArray(required) ? { required } : {}) } as unknown as Form
}

function isField(field: Json): boolean {
  if (!isJsonObject(field)) return false
  if (field['type'] !== 'array') return PRIMITIVES.has(field['type'])
  const { items } = field
  return isJsonObject(items) && (Array.isArray(items['enum']) || Array.isArray(items['anyOf']))
}

/**
 * What came back: `none` where the client answered nothing, or nothing that can be an answer; `dismissed` where the person neither
 * said yes nor no; `declined` where they would not answer.
 */
export type Reply =
  | { readonly kind: 'none' }
  | { readonly kind: 'dismissed' }
  | { readonly kind: 'declined' }
  | { readonly kind: 'decision'; readonly decision: JsonObject }
  | { readonly kind: 'answer'; readonly answer: Json }

export function readReply(
  kind: ApprovalRow['kind'],
  responses: { readonly [name: string]: unknown } | undefined,
  descriptor: ToolDescriptor | undefined,
): Reply {
  const response = inputResponse(responses, QUESTION)
  if (response.kind !== 'elicit') return { kind: 'none' }
  if (response.action === 'cancel') return { kind: 'dismissed' }
  if (response.action === 'decline') return { kind: 'declined' }
  const content: unknown = response.content
  if (!isJsonObject(content)) return { kind: 'none' }
  return kind === 'approval' ? { kind: 'decision', decision: decisionIn(content) } : answerIn(content, descriptor)
}

/** The words as they came. A reason beside an approval is a note that an empty form leaves; it is no part of a decision. */
function decisionIn({ decision, reason }: JsonObject): JsonObject {
  const word = decision === undefined ? null : decision
  return word === 'deny' && typeof reason === 'string' && reason !== '' ? { decision: word, reason } : { decision: word }
}

function answerIn(content: JsonObject, descriptor: ToolDescriptor | undefined): Reply {
  const form = answerForm(descriptor)
  if (form === null) return typeof content['answer'] === 'string' ? { kind: 'answer', answer: content['answer'] } : { kind: 'none' }
  const schema = compiledSchema(form as JsonObject)
  return schema.ok && schema.validate(content).ok ? { kind: 'answer', answer: content } : { kind: 'none' }
}
