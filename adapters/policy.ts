// The host's policy within a bound: one that does not answer has denied.

import type { Clock, Log, Policy } from '../machines/ports/world.ts'

const ANSWER_MS = 10_000

/** A policy that is waited for at most ten seconds. */
export function boundedPolicy(policy: Policy, clock: Clock, log: Log): Policy {
  return async (call, turn) => {
    const answer = policy(call, turn)
    if (!(answer instanceof Promise)) return answer
    const answered = new AbortController()
    const late = clock.sleep(ANSWER_MS, answered.signal).then((): 'deny' => {
      if (!answered.signal.aborted) log.warn('the policy did not answer and so denies', { turnId: turn.turnId, tool: call.tool })
      return 'deny'
    })
    return Promise.race([answer, late]).finally(() => answered.abort())
  }
}
