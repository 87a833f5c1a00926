// Gate 5: may this be done for this principal? The scopes, the host's policy, the tool's approval rule. Refuses, passes, or
// marks that a person must agree.

import { invocationId } from '../ids.ts'
import type { PolicyAnswer } from '../ports/world.ts'
import { actingPerson } from '../principal.ts'
import { authorizationText } from '../repair.ts'
import type { TurnState } from '../state.ts'
import type { ApprovalRule, ContentTrust, TurnView } from '../tool.ts'
import { needed, pass, refused, type Gate, type GateHost, type Question, type Subject, type Verdict } from './gate.ts'

export const authorizationGate: Gate = {
  name: 'authorization',
  judge: (subject, view) => authorize(subject, view.state, view.host),
}

/** The same question at admission and, with the bit of that moment, at dispatch (C7, C9). */
export async function authorize(subject: Subject, state: TurnState, host: GateHost): Promise<Verdict> {
  const descriptor = needed(subject, 'descriptor')
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
  const { decision, approvers } = typeof answer === 'string' ? { decision: answer, approvers: undefined } : answer
  if (decision === 'allow' || decision === 'ask') return { decision, approvers: approvers ?? null }
  return { decision: 'deny', approvers: null }
}

/** The tool's rule for these arguments. A function that throws, or answers something else, asks a person always. */
async function approvalRule(subject: Subject, state: TurnState, host: GateHost, contentTrust: ContentTrust): Promise<ApprovalRule> {
  const descriptor = needed(subject, 'descriptor')
  if (descriptor.approval !== 'by-arguments') return descriptor.approval
  try {
    const rule = host.tools.get(descriptor.name)?.approvalOf?.(needed(subject, 'prepared'), turnView(state, contentTrust))
    return rule === 'never' || rule === 'when-untrusted' ? rule : 'always'
  } catch {
    return 'always'
  }
}

function turnView(state: TurnState, contentTrust: ContentTrust): TurnView {
  const { labels, principal } = state.opened
  return { turnId: state.turnId, tenant: state.tenant, labels, principal, contentTrust, attempt: state.attempt }
}
