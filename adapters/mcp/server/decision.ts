// The answer to a question, taken to the turn that asked it: by whom the host authenticated, over MCP (C3, C5, C8, E5).

import { ProtocolError, ProtocolErrorCode, type CallToolResult } from '@modelcontextprotocol/server'
import { ToolturnError } from '../../../machines/errors.ts'
import type { Principal } from '../../../machines/principal.ts'
import type { Asked, Begun } from './call.ts'
import type { House } from './house.ts'
import { saidByHost } from './outcome.ts'
import { readReply, type Reply } from './reply.ts'
import { isOf, type AskedState } from './request-state.ts'

/** The protocol's answer to a state that was changed, is of another call or caller, or is too old; it does not say which. */
function invalidState(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState', { reason: 'invalid_request_state' })
}

/** Opens a state that came back with the call that it was given for, by the caller whom it was given to. @throws ProtocolError -32602 */
export async function openedState(house: House, asked: Asked, text: string): Promise<AskedState> {
  const state = house.seal.open(text, Date.now())
  if (state === null || state.call !== asked.call) throw invalidState()
  if (isOf(state, asked.caller)) return state
  await turnAway(house, asked, state)
  throw invalidState()
}

/**
 * A state in the hands of another party decides nothing, and the try is recorded (C8, E3). What is sent is the runtime's to turn away: on
 * an untrusted turn it does so with whoever is not the acting person. On a trusted one it would take a listed approver's word, so there
 * nothing is sent.
 */
async function turnAway(house: House, { caller, name, responses }: Asked, state: AskedState): Promise<void> {
  const { runtime, log, tools } = house
  const { turnId, approvalId, kind, names, errand } = state
  log.warn('a state of another party was sent', { turnId, approvalId })
  const reply = readReply(kind, names, responses, tools.get(name)?.descriptor.outputSchema)
  if (caller.principal === null || reply.kind === 'none' || reply.kind === 'dismissed') return
  const { approvals } = await runtime.approvals({ tenant: caller.tenant, labels: { mcp: errand }, limit: 1 })
  if (approvals[0]?.contentTrust !== 'untrusted') return
  const lane = { as: caller.principal, via: 'mcp', tenant: caller.tenant } as const
  const tried = kind === 'clarification' ? runtime.answer(turnId, { ...lane, answer: null }) : runtime.deny(approvalId, lane)
  await tried.catch((error: unknown) => {
    if (!(error instanceof ToolturnError)) throw error
  })
}

/** Of a decision that came too late, or second: what is stored stands, and is what is answered. */
const STORED: ReadonlySet<string> = new Set(['approval_already_resolved', 'approval_expired', 'turn_not_open'])
const TURNED_AWAY: ReadonlySet<string> = new Set(['approval_not_yours', 'approval_channel_refused'])

/** Takes the reply to the turn. A reply that is none leaves the question open, and it is put again. */
export async function decide(house: House, asked: Asked, state: AskedState): Promise<Begun | { readonly refusal: CallToolResult }> {
  const { turnId, kind, names } = state
  const { principal } = asked.caller
  const reply = readReply(kind, names, asked.responses, house.tools.get(asked.name)?.descriptor.outputSchema)
  if (reply.kind === 'none' || principal === null) return { turnId, mayAsk: true }
  if (reply.kind === 'dismissed') return { turnId, mayAsk: false }
  try {
    await send(house, state, reply, principal, asked.caller.tenant)
  } catch (error) {
    if (!(error instanceof ToolturnError)) throw error
    if (TURNED_AWAY.has(error.code)) return { refusal: saidByHost(error.message) }
    if (error.code !== 'decision_invalid' && !STORED.has(error.code)) throw error
  }
  return { turnId, mayAsk: true }
}

async function send(
  { runtime }: House,
  { turnId, approvalId, kind }: AskedState,
  reply: Exclude<Reply, { readonly kind: 'none' } | { readonly kind: 'dismissed' }>,
  as: Principal,
  tenant: string,
): Promise<void> {
  const lane = { as, via: 'mcp', tenant } as const
  switch (reply.kind) {
    case 'decision':
      await runtime.decide(approvalId, reply.decision, lane)
      return
    case 'answer':
      return runtime.answer(turnId, { ...lane, answer: reply.answer })
    case 'declined':
      // Not to approve is to deny. Not to answer leaves nothing to go on with.
      if (kind === 'clarification') await runtime.cancel(turnId, lane)
      else await runtime.deny(approvalId, lane)
  }
}
