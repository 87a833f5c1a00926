// The chart of one call: from proposed to one of its six outcomes, which are states by name. Only edges; no effects.

import { assign, setup, type SnapshotFrom } from 'xstate'
import type { EventOf, EventType } from './events.ts'
import type { Completion } from './events/round.ts'

/** What the chart reads of an event: its type and the few facts that guards look at. */
export type CallSignal =
  | { readonly type: Extract<CallEventType, `approval.${string}`> }
  /** `ask`: it is a call of the ask tool. */
  | { readonly type: 'clarification.asked'; readonly ask: boolean }
  /** `completion`: how the call's round ended. */
  | { readonly type: `call.${'admitted' | 'held' | 'invalid' | 'refused' | 'suppressed'}`; readonly completion: Completion }
  /** `harmless`: the tool only reads, or the attempt is over. */
  | { readonly type: 'call.ended'; readonly harmless: boolean }
  | { readonly type: 'call.recorded' | 'call.inquired' | 'call.failed' | 'call.late'; readonly dispatch: number }
  /** `mayRunAgain`: the tool is not at-most-once. `miss`: its record is not whole (D9). */
  | {
      readonly type: 'call.dispatched'
      readonly dispatch: number
      readonly ask: boolean
      readonly mayRunAgain: boolean
      readonly miss: boolean
    }
  | { readonly type: 'call.settled'; readonly dispatch: number; readonly settled: 'happened' | 'did-not-happen' }

/** Events that are about one call and are routed to it by ordinal. */
export type CallEventType = Extract<EventType, `call.${string}` | `approval.${string}` | 'clarification.asked'>

/** An event that is routed to a call. */
export type CallEvent = EventOf<CallEventType>

type CallContext = {
  /** Dispatches so far. The next one must be one higher; a record must name the last. */
  readonly dispatch: number
}

const calls = setup({
  types: { context: {} as CallContext, events: {} as CallSignal },
  guards: {
    'its round may run': ({ event }) => 'completion' in event && (event.completion === 'clean' || event.completion === 'paused'),
    'its round was not refused': ({ event }) => 'completion' in event && event.completion !== 'refused',
    'its round was not truncated': ({ event }) => 'completion' in event && event.completion !== 'truncated',
    'it only reads, or is over': ({ event }) => event.type === 'call.ended' && event.harmless,
    'it is the ask': ({ event }) => event.type === 'clarification.asked' && event.ask,
    'is the next dispatch, and not the ask': ({ context, event }) =>
      event.type === 'call.dispatched' && !event.ask && event.dispatch === context.dispatch + 1,
    'is the next dispatch and may run again': ({ context, event }) =>
      event.type === 'call.dispatched' && event.mayRunAgain && event.dispatch === context.dispatch + 1,
    'is the next dispatch, after a record that is a miss': ({ context, event }) =>
      event.type === 'call.dispatched' && event.mayRunAgain && event.miss && event.dispatch === context.dispatch + 1,
    'is of the last dispatch': ({ context, event }) => 'dispatch' in event && event.dispatch === context.dispatch,
    'is of some dispatch': ({ context, event }) => 'dispatch' in event && event.dispatch >= 1 && event.dispatch <= context.dispatch,
    'the last dispatch happened': ({ context, event }) =>
      event.type === 'call.settled' && event.settled === 'happened' && event.dispatch === context.dispatch,
    'the last dispatch did not happen': ({ context, event }) =>
      event.type === 'call.settled' && event.settled === 'did-not-happen' && event.dispatch === context.dispatch,
  },
  actions: {
    'count the dispatch': assign({ dispatch: ({ context }) => context.dispatch + 1 }),
    'stay': assign({}),
  },
})

/** An edge back to the same state. The action makes it one: without it XState cannot tell it from an event that is ignored. */
const STAY = { actions: 'stay' } as const

/** A completion that comes after the call was settled otherwise changes nothing, in whatever state the call is by then. */
const late = { 'call.late': { guard: 'is of some dispatch', actions: 'stay' } } as const

export const callChart = calls.createMachine({
  id: 'call',
  context: { dispatch: 0 },
  initial: 'proposed',
  states: {
    proposed: {
      meta: { effect: 'admit' },
      on: {
        // Nothing of a truncated round runs, however complete it looks, and nothing of a refused one (gate `completion`).
        'call.admitted': { guard: 'its round may run', target: 'admitted' },
        'call.held': { guard: 'its round may run', target: 'held' },
        'call.suppressed': { guard: 'its round may run', target: 'suppressed-repeat' },
        'call.invalid': { guard: 'its round was not refused', target: 'invalid' },
        'call.refused': { guard: 'its round was not truncated', target: 'refused' },
        'call.ended': 'ended-turn',
      },
    },
    held: {
      tags: ['outcome', 'open'],
      meta: { effect: 'await-approval' },
      on: {
        'approval.granted': 'granted',
        'approval.denied': 'refused',
        'approval.expired': 'refused',
        'approval.turned-away': STAY,
        'call.ended': 'ended-turn',
        ...late,
      },
    },
    granted: {
      tags: ['open'],
      meta: { effect: 'judge' },
      on: {
        'call.admitted': 'admitted',
        'call.held': 'held',
        'call.refused': 'refused',
        'call.suppressed': 'suppressed-repeat',
        'call.ended': 'ended-turn',
        ...late,
      },
    },
    admitted: {
      tags: ['open'],
      meta: { effect: 'dispatch' },
      on: {
        'call.dispatched': { guard: 'is the next dispatch, and not the ask', target: 'dispatched', actions: 'count the dispatch' },
        'call.held': 'held',
        'call.refused': 'refused',
        'call.suppressed': 'suppressed-repeat',
        // The person is asked instead, and that ends the run (E3).
        'clarification.asked': { guard: 'it is the ask', target: 'ended-turn' },
        'call.ended': 'ended-turn',
        ...late,
      },
    },
    dispatched: {
      tags: ['open'],
      meta: { effect: 'settle' },
      on: {
        'call.dispatched': { guard: 'is the next dispatch and may run again', actions: 'count the dispatch' },
        'call.failed': { guard: 'is of the last dispatch', actions: 'stay' },
        'call.recorded': { guard: 'is of the last dispatch', target: 'executed' },
        // The tool asks the person something before it goes on: nothing is dispatched again but through a hold.
        'call.inquired': { guard: 'is of the last dispatch', target: 'inquiring' },
        'call.settled': [
          { guard: 'the last dispatch happened', target: 'executed' },
          { guard: 'the last dispatch did not happen', target: 'admitted' },
        ],
        // A call with effects is never ended while it runs or is in doubt: its record or its doubt comes first (G4).
        'call.ended': { guard: 'it only reads, or is over', target: 'ended-turn' },
        ...late,
      },
    },
    inquiring: {
      tags: ['open'],
      meta: { effect: 'judge' },
      on: { 'call.held': 'held', 'call.refused': 'refused', 'call.ended': 'ended-turn', ...late },
    },
    executed: {
      tags: ['outcome'],
      on: {
        'call.dispatched': {
          guard: 'is the next dispatch, after a record that is a miss',
          target: 'dispatched',
          actions: 'count the dispatch',
        },
        ...late,
      },
    },
    refused: { tags: ['outcome'], on: late },
    'suppressed-repeat': { tags: ['outcome'], on: late },
    'ended-turn': { tags: ['outcome'], on: late },
    invalid: { tags: ['outcome'] },
  },
})

export type CallSnapshot = SnapshotFrom<typeof callChart>
export type CallStateName = CallSnapshot['value']
