// The host's policy within a bound: one that does not answer, fails, or answers something else has denied.

import type { Clock, Log, Policy, PolicyAnswer, PolicyDecision } from '../machines/ports/world.ts'
import type { Approver } from '../machines/principal.ts'

const ANSWER_MS = 10_000
const APPROVERS_MAX = 256

/** A policy that is waited for at most ten seconds, whatever kind of promise it gives, and whose answer has the right form. */
export function boundedPolicy(policy: Policy, clock: Clock, log: Log): Policy {
  return async (call, turn) => {
    const denied = (why: string): 'deny' => {
      log.warn(why, { turnId: turn.turnId, tool: call.tool })
      return 'deny'
    }
    try {
      const given: unknown = policy(call, turn)
      const answer = isThenable(given) ? await withinTime(given, clock) : given
      if (answer === LATE) return denied('the policy did not answer and so denies')
      return readAnswer(answer) ?? denied('the policy gave no answer that is one and so denies')
    } catch {
      return denied('the policy failed and so denies')
    }
  }
}

const LATE = Symbol('late')

async function withinTime(given: PromiseLike<unknown>, clock: Clock): Promise<unknown> {
  const answered = new AbortController()
  const late = clock.sleep(ANSWER_MS, answered.signal).then(() => LATE)
  return Promise.race([Promise.resolve(given), late]).finally(() => answered.abort())
}

function isThenable(given: unknown): given is PromiseLike<unknown> {
  return typeof given === 'object' && given !== null && 'then' in given && typeof given.then === 'function'
}

const DECISIONS: readonly unknown[] = ['allow', 'deny', 'ask']
const PARTS = ['decision', 'reason', 'approvers']

/** The answer, copied; null when it is none. */
function readAnswer(answer: unknown): PolicyAnswer | null {
  if (isDecision(answer)) return answer
  if (!isRecord(answer, PARTS)) return null
  const { decision, reason, approvers } = answer
  if (!isDecision(decision) || (reason !== undefined && typeof reason !== 'string')) return null
  const listed = approvers === undefined ? undefined : readApprovers(approvers)
  if (listed === null) return null
  return { decision, ...(reason === undefined ? {} : { reason }), ...(listed === undefined ? {} : { approvers: listed }) }
}

function isDecision(given: unknown): given is PolicyDecision {
  return DECISIONS.includes(given)
}

function readApprovers(given: unknown): readonly Approver[] | null {
  if (!Array.isArray(given) || given.length > APPROVERS_MAX) return null
  const read = given.map(readApprover)
  return read.every(approver => approver !== null) ? read : null
}

function readApprover(given: unknown): Approver | null {
  if (!isRecord(given, ['issuer', 'id', 'kind'])) return null
  const { issuer, id, kind } = given
  if (typeof issuer !== 'string' || issuer === '' || typeof id !== 'string' || id === '') return null
  if (kind === undefined) return { issuer, id }
  return kind === 'person' || kind === 'service' ? { issuer, id, kind } : null
}

function isRecord(given: unknown, names: readonly string[]): given is { readonly [name: string]: unknown } {
  return typeof given === 'object' && given !== null && !Array.isArray(given) && Object.keys(given).every(name => names.includes(name))
}
