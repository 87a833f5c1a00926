// Goal: nobody changes by accident a word that stored streams, people's scripts or other services rely on.
//
// Everything here is typed by hand and never imported: two copies must agree. When a pin goes red, ask who relies on the word:
// - It was added: add it here, in the same commit.
// - It was renamed or removed: stored streams, subjects and scripts still say the old one. Keep it, or upcast it at the store's
//   door, and write the change into CHANGELOG.md. Then change it here.
// - A default moved: turns that are open keep theirs; say in CHANGELOG.md why new ones differ. Then change it here.

import { describe, expect, expectTypeOf, test } from 'vitest'
import { callChart } from '../../machines/call.ts'
import { ERROR_PAGES, type Mover } from '../../machines/errors.ts'
import { EVENT_TYPES, SCHEMA_VERSION } from '../../machines/events.ts'
import { GATES } from '../../machines/events/shapes.ts'
import { approvalId, hostCallId, invocationId, type Outcome } from '../../machines/ids.ts'
import { DEFAULT_LIMITS } from '../../machines/limits.ts'
import type { TurnStateName } from '../../machines/ports/rows.ts'
import { UNOWNED_TYPES } from '../../machines/ports/store.ts'
import type { Via } from '../../machines/principal.ts'
import type { ApprovalRule, ContentTrust, ReplayPolicy } from '../../machines/tool.ts'
import { turnChart } from '../../machines/turn.ts'

describe('the words of a stream', () => {
  test('event types', () => {
    expect(EVENT_TYPES).toEqual([
      'turn.opened',
      'attempt.started',
      'round.requested',
      'round.recorded',
      'round.failed',
      'call.admitted',
      'call.invalid',
      'call.refused',
      'call.held',
      'call.suppressed',
      'call.ended',
      'call.dispatched',
      'call.failed',
      'call.recorded',
      'call.inquired',
      'call.settled',
      'call.late',
      'approval.granted',
      'approval.denied',
      'approval.expired',
      'approval.turned-away',
      'clarification.asked',
      'clarification.answered',
      'clarification.expired',
      'clarification.turned-away',
      'turn.cancelling',
      'turn.completed',
      'turn.refused',
      'turn.exhausted',
      'turn.cancelled',
      'turn.failed',
    ])
    expect(SCHEMA_VERSION).toBe(1)
  })

  test('what a writer that owns nothing may append', () => {
    expect(UNOWNED_TYPES).toEqual([
      'approval.granted',
      'approval.denied',
      'approval.expired',
      'approval.turned-away',
      'clarification.answered',
      'clarification.expired',
      'clarification.turned-away',
      'turn.cancelling',
      'attempt.started',
      'call.ended',
      'call.settled',
    ])
  })

  test('states of a turn', () => {
    type States =
      | 'thinking'
      | 'admitting'
      | 'working'
      | 'holding'
      | 'asking'
      | 'cancelling'
      | 'completed'
      | 'refused'
      | 'exhausted'
      | 'cancelled'
      | 'failed'
    expectTypeOf<TurnStateName>().toEqualTypeOf<States>()
    expect(Object.keys(turnChart.states).toSorted()).toEqual([
      'admitting',
      'asking',
      'cancelled',
      'cancelling',
      'completed',
      'exhausted',
      'failed',
      'holding',
      'refused',
      'thinking',
      'unopened',
      'working',
    ])
  })

  test('outcomes of a call are states of its chart', () => {
    const outcomes = ['ended-turn', 'executed', 'held', 'invalid', 'refused', 'suppressed-repeat'] as const
    expectTypeOf<Outcome>().toEqualTypeOf<(typeof outcomes)[number]>()
    expect(Object.keys(callChart.states)).toEqual(expect.arrayContaining([...outcomes]))
  })

  test('gates of admission, in their order', () => {
    expect(GATES).toEqual(['completion', 'name', 'arguments', 'trust', 'authorization', 'limits', 'redaction'])
  })

  test('words of tools and people', () => {
    expectTypeOf<ReplayPolicy>().toEqualTypeOf<'read-only' | 'idempotent' | 'at-most-once'>()
    expectTypeOf<ContentTrust>().toEqualTypeOf<'trusted' | 'untrusted'>()
    expectTypeOf<ApprovalRule>().toEqualTypeOf<'never' | 'when-untrusted' | 'always'>()
    expectTypeOf<Via>().toEqualTypeOf<'app' | 'link' | 'delegate' | 'mcp'>()
  })
})

describe('derived names', () => {
  test('the invocation id, which tools keep as their idempotency key', () => {
    const key = { tenant: 'default', turnId: '0190a0b0-0000-7000-8000-000000000000', ordinal: 1, tool: 'find_order' }
    expect(invocationId(key)).toBe('XSaVhK4SZTmlQ7QjJ2zvl9FW_VJr1-Goua8HGE3wlPo')
  })

  test('call ids and approval ids', () => {
    expect(hostCallId(3)).toBe('call_3')
    expect(approvalId('t', 3, 1)).toBe('t.3.1')
  })
})

test('error codes', () => {
  expect(Object.keys(ERROR_PAGES).toSorted()).toEqual([
    'approval_already_resolved',
    'approval_channel_refused',
    'approval_expired',
    'approval_not_found',
    'approval_not_yours',
    'bus_unreachable',
    'call_not_in_doubt',
    'decision_invalid',
    'export_invalid',
    'fork_refused',
    'history_broken',
    'illegal_history',
    'internal',
    'mcp_server_unreachable',
    'mock_program_exhausted',
    'model_context_exceeded',
    'model_output_truncated',
    'model_protocol_violation',
    'model_request_rejected',
    'model_tools_unsupported',
    'model_unavailable',
    'option_invalid',
    'output_invalid',
    'replay_diverged',
    'replay_policy_missing',
    'replay_send_suppressed',
    'replay_source_missing',
    'round_outcome_unknown',
    'runtime_closed',
    'scenario_invalid',
    'schema_newer',
    'schema_unmigrated',
    'spawn_key_conflict',
    'store_busy',
    'store_locked',
    'store_replaced',
    'store_unreachable',
    'tool_name_duplicate',
    'tool_outcome_unknown',
    'tool_record_failed',
    'turn_not_found',
    'turn_not_open',
    'turn_not_retryable',
    'turn_parked',
    'version_conflict',
    'worker_fenced',
  ])
  expectTypeOf<Mover>().toEqualTypeOf<'model' | 'person' | 'caller' | 'operator' | 'nobody'>()
})

test('limits and their defaults', () => {
  expect(DEFAULT_LIMITS).toEqual({
    rounds: 10,
    callsPerRound: 16,
    callsPerTurn: 64,
    repairs: 3,
    repeats: 2,
    truncationRetries: 1,
    schemaRepairs: 2,
    clarifications: 3,
    clarificationLifetimeMs: 604_800_000,
    dispatches: 5,
    startWithinMs: 5_000,
    recordBytes: 65_536,
    blobBytes: 16_777_216,
    concurrentReads: 4,
    toolTimeoutMs: 60_000,
    approvalLifetimeMs: 86_400_000,
    turnTimeoutMs: 900_000,
    modelTries: 4,
    toolTries: 3,
    turnedAway: 20,
  })
})
