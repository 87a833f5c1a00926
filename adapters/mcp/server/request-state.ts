// What goes out with a question and comes back with its answer: sealed, so that it says nothing to whom it passes through, and bound
// to the call, the open question and the caller (E5). It is used once because its question is: whoever comes second meets the
// decision that is stored.

import { Buffer } from 'node:buffer'
import { createHash, createHmac, hkdfSync } from 'node:crypto'
import { canonicalJson, isJsonObject } from '../../../machines/json.ts'
import { systemRandom } from '../../clock.ts'
import { createSealer, readKey } from '../../seal.ts'
import { partyName, type Caller } from './caller.ts'
import type { QuestionKind } from './question.ts'

/** The open question of a turn. */
export type AskedState = {
  readonly turnId: string
  readonly approvalId: string
  readonly kind: QuestionKind
  /** Of its questions. */
  readonly names: readonly string[]
  /** Text of the turn's input. */
  readonly errand: string
  /** Digest of the call that the client made, and makes again with its answer. */
  readonly call: string
  /** Who asked for it. */
  readonly party: string
  /** Epoch milliseconds; past it nobody is answered any more. */
  readonly until: number
}

export type StateSeal = {
  readonly seal: (state: AskedState) => string
  /** Null for what this host never sealed, and for what is past its time. */
  readonly open: (text: string, now: number) => AskedState | null
  /** A name that this caller's key and call always get, and that says nothing of them. */
  readonly nameOf: (parts: readonly string[]) => string
}

const CONTEXT = 'toolturn:mcp:request-state:v1'
const MOST_CHARACTERS = 8_192

/** @param key the host's; without one, states are good in this process only */
export function createStateSeal(key: Uint8Array | string | undefined): StateSeal {
  const root = key === undefined ? systemRandom.bytes(32) : readKey(key)
  const derived = (purpose: string) => new Uint8Array(hkdfSync('sha256', root, '', purpose, 32))
  const sealer = createSealer(derived(CONTEXT), systemRandom)
  const naming = derived('toolturn:mcp:call:v1')
  return {
    seal: state => Buffer.from(sealer.seal(Buffer.from(canonicalJson(state), 'utf8'), CONTEXT)).toString('base64url'),
    open: (text, now) => {
      if (text.length > MOST_CHARACTERS) return null
      try {
        const state: unknown = JSON.parse(Buffer.from(sealer.open(Buffer.from(text, 'base64url'), CONTEXT)).toString('utf8'))
        return isJsonObject(state) && Number(state['until']) > now ? (state as AskedState) : null
      } catch {
        return null
      }
    },
    nameOf: parts => createHmac('sha256', naming).update(canonicalJson(parts)).digest('base64url'),
  }
}

/** A state is good for the very call that it was given for, by the caller whom it was given to. */
export function digestOfCall(name: string, given: unknown): string {
  return createHash('sha256')
    .update(canonicalJson([name, given ?? {}]))
    .digest('base64url')
}

export function isOf(state: AskedState, caller: Caller): boolean {
  return state.party === partyName(caller)
}
