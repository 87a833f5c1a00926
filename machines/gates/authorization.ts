// Gate 5: may this be done for this principal? The scopes, the host's policy, the tool's approval rule. Refuses, passes, or
// marks that a person must agree.

import { invocationId } from '../ids.ts'
import type { PolicyAnswer } from '../ports/world.ts'
import { actingPerson, type Approver } from '../principal.ts'
import { authorizationText } from '../repair.ts'
import type { TurnState } from '../state.ts'
import type { ApprovalRule, ContentTrust, ToolDescriptor, TurnView } from '../tool.ts'
import { needed, pass, refused, type Gate, type GateHost, type Question, type Subject, type Verdict } from './gate.ts'

export const authorizationGate: Gate = {
  name: 'authorization',
  judge: (subject, view) => authorize(subject, view.state, view.host),
}

/** The same question at admission and, with the bit of that moment, at dispatch (C7, C9). */
export async function authorize(subject: Subject, state: TurnState, host: GateHost): Promise<Verdict> {
  const descriptor = needed(subject, 'descriptor')
  const drift = driftOf(descriptor, host)
  if (drift !== null) return refused(drift, authorizationText(drift))
  const contentTrust = needed(subject, 'contentTrust')
  const { principal } = state.opened
  const missing = descriptor.scopes.filter(scope => !principal?.scopes.includes(scope))
  if (missing.length > 0) return refused('scopes', authorizationText('scopes'))
  const acting = actingPerson(principal)
  if (descriptor.name === state.opened.ask && acting === null) return refused('nobody-to-ask', authorizationText('nobody-to-ask'))

  const answer = await askPolicy(subject, state, host, contentTrust)
  if (answer.decision === 'deny') return refused('policy', authorizationText('policy'))
  const rule = await approvalRule(subject, state, host, contentTrust)
  const reason = whyAsk(answer.decision, rule, contentTrust)
  if (reason === null) return pass(subject)

  const question: Question = { reason, approvers: answer.approvers ?? listed(state) }
  const somebodyMay = acting !== null || (contentTrust === 'trusted' && question.approvers !== null)
  return somebodyMay ? pass({ ...subject, question }) : refused('nobody-may-approve', authorizationText('nobody-may-approve'))
}

/** A tool that this process no longer has, or has in another version than the turn was opened with (C7). */
export function driftOf(descriptor: ToolDescriptor, host: GateHost): 'revoked' | 'schema-changed' | null {
  const tool = host.tools.get(descriptor.name)
  if (tool === undefined) return 'revoked'
  return tool.descriptor.version === descriptor.version ? null : 'schema-changed'
}

function whyAsk(decision: 'allow' | 'ask', rule: ApprovalRule, contentTrust: ContentTrust): string | null {
  if (decision === 'ask') return 'policy'
  if (rule === 'always') return 'always'
  return rule === 'when-untrusted' && contentTrust === 'untrusted' ? 'untrusted' : null
}

function listed(state: TurnState): Question['approvers'] {
  return state.opened.approvers.length > 0 ? state.opened.approvers : null
}

type Answer = { readonly decision: 'allow' | 'deny' | 'ask'; readonly approvers: Question['approvers'] }

/** A policy that throws, or that answers something else, has denied. */
async function askPolicy(subject: Subject, state: TurnState, host: GateHost, contentTrust: ContentTrust): Promise<Answer> {
  const descriptor = needed(subject, 'descriptor')
  const call = {
    tool: descriptor.name,
    arguments: needed(subject, 'prepared'),
    ordinal: subject.ordinal,
    invocationId: invocationId({ tenant: state.tenant, turnId: state.turnId, ordinal: subject.ordinal, tool: descriptor.name }),
    replayPolicy: descriptor.replayPolicy,
  }
  try {
    return readAnswer(await host.policy(call, turnView(state, contentTrust)))
  } catch {
    return { decision: 'deny', approvers: null }
  }
}

function readAnswer(answer: PolicyAnswer): Answer {
  const { decision, approvers = null } = typeof answer === 'string' ? { decision: answer } : answer
  const good = (decision === 'allow' || decision === 'ask') && (approvers === null || isApproverList(approvers))
  return good ? { decision, approvers } : { decision: 'deny', approvers: null }
}

function isApproverList(list: unknown): list is readonly Approver[] {
  return (
    Array.isArray(list) &&
    list.every(row => typeof row?.id === 'string' && row.id !== '' && typeof row.issuer === 'string' && row.issuer !== '')
  )
}

/** The tool's rule for these arguments. A function that throws, or answers something else, asks a person always. */
async function approvalRule(subject: Subject, state: TurnState, host: GateHost, contentTrust: ContentTrust): Promise<ApprovalRule> {
  const descriptor = needed(subject, 'descriptor')
  if (descriptor.approval !== 'by-arguments') return known(descriptor.approval)
  try {
    const rule = await host.tools.get(descriptor.name)?.approvalOf?.(needed(subject, 'prepared'), turnView(state, contentTrust))
    return known(rule)
  } catch {
    return 'always'
  }
}

/** A word that is none of the rules asks always. */
function known(rule: unknown): ApprovalRule {
  return rule === 'never' || rule === 'when-untrusted' ? rule : 'always'
}

function turnView(state: TurnState, contentTrust: ContentTrust): TurnView {
  const { labels, principal } = state.opened
  return { turnId: state.turnId, tenant: state.tenant, labels, principal, contentTrust, attempt: state.attempt }
}
