// A tool that wants to know something of the acting person first: what is kept of it, and what it is given when it goes on.

import { Buffer } from 'node:buffer'
import type { FactOf } from '../events.ts'
import { recordableInquiry, type Inquired, type Inquiry } from '../inquiry.ts'
import type { CallState } from '../state.ts'
import type { Actor, Running } from './actor.ts'

/** The record of an inquiry; null where it may not be kept. Its state is sealed where the host has a key: it is nobody else's business. */
export function inquiredFact(actor: Actor, call: CallState, running: Running, inquiry: Inquiry): FactOf<'call.inquired'> | null {
  const { sealer, redactor } = actor.ports
  const recordable = recordableInquiry(inquiry, redactor, actor.state.opened.limits.recordBytes, sealer !== null)
  if (recordable === null) return null
  const { forms, state } = recordable
  const sealed = sealer !== null && state !== null
  const { ordinal, dispatch } = running
  return {
    type: 'call.inquired',
    data: {
      ordinal,
      tool: call.item.name,
      dispatch,
      forms,
      state: sealed ? Buffer.from(sealer.seal(Buffer.from(state, 'utf8'), contextOf(actor, call))).toString('base64') : state,
      sealed,
    },
  }
}

/** What the tool is given back; undefined where nothing was answered, null where its state is lost: sealed under another key (D11). */
export function inquiredOf(actor: Actor, call: CallState): Inquired | null | undefined {
  const { inquiry } = call
  if (inquiry === null || inquiry.answers === null) return undefined
  const { answers, state, sealed } = inquiry
  if (!sealed || state === null) return { answers, state }
  try {
    const opened = actor.ports.sealer?.open(Buffer.from(state, 'base64'), contextOf(actor, call))
    return opened === undefined ? null : { answers, state: Buffer.from(opened).toString('utf8') }
  } catch {
    actor.ports.log.error('the state of an inquiry does not open under this key', { turnId: actor.turnId, ordinal: call.ordinal })
    return null
  }
}

function contextOf({ turnId }: Actor, { ordinal }: CallState): string {
  return `${turnId}:${ordinal}:inquiry`
}
