// The chart of a turn: rounds, waiting, ends. Which histories are legal, and nothing else.

import { assign, setup, type SnapshotFrom } from 'xstate'
import type { CallStateName } from './call.ts'
import type { Completion } from './events/round.ts'

/** State of the lowest ordinal without an outcome: what the turn has to see to next. */
export type Next = 'none' | 'held' | 'ready'

/** What the chart reads of an event: its type and the few facts that guards look at. */
export type TurnSignal =
  | { readonly type: 'turn.opened' | 'round.requested' | 'round.failed' }
  /** `final`: it holds no call, and nothing more is to be asked. */
  | { readonly type: 'round.recorded'; readonly calls: number; readonly completion: Completion; readonly final: boolean }
  | { readonly type: VerdictType | 'call.recorded' | 'call.settled' | ApprovalType; readonly next: Next }
  /** `retried`: a new attempt gives the call up. */
  | { readonly type: 'call.ended'; readonly retried: boolean; readonly next: Next }
  /** `from`: state of the call before. */
  | { readonly type: 'call.dispatched'; readonly from: CallStateName | null }
  | { readonly type: 'call.failed' | 'call.inquired' | 'call.late' }
  | { readonly type: 'clarification.asked'; readonly next: Next }
  | { readonly type: `clarification.${'answered' | 'expired' | 'turned-away'}` }
  | { readonly type: 'turn.cancelling' }
  | { readonly type: `turn.${'completed' | 'refused' | 'exhausted' | 'cancelled'}` | 'attempt.started'; readonly next: Next }
  /** `inDoubt`: the code leaves open calls as they are. `started`: the call that the failure names is dispatched. */
  | { readonly type: 'turn.failed'; readonly inDoubt: boolean; readonly started: boolean; readonly next: Next }

type VerdictType = `call.${'admitted' | 'held' | 'invalid' | 'refused' | 'suppressed'}`
type ApprovalType = `approval.${'granted' | 'denied' | 'expired' | 'turned-away'}`

type TurnContext = {
  /** Calls of the last round that have no verdict yet. */
  readonly left: number
  readonly completion: Completion
  /** A round that is itself an effect was asked for and is not recorded (F5). */
  readonly requested: boolean
  /** The ask was not answered in time. */
  readonly askExpired: boolean
  /** Cancelling began in this attempt: a settled doubt leads back to it. */
  readonly cancelling: boolean
  /** The model was perhaps asked when cancelling began, and its answer may yet come. */
  readonly answerDue: boolean
  /** The turn failed with a call in doubt, which may yet be settled. */
  readonly inDoubt: boolean
}

const AT_START: TurnContext = Object.freeze({
  left: 0,
  completion: 'clean',
  requested: false,
  askExpired: false,
  cancelling: false,
  answerDue: false,
  inDoubt: false,
})

const turns = setup({
  types: { context: {} as TurnContext, events: {} as TurnSignal },
  guards: {
    'holds calls': ({ event }) => event.type === 'round.recorded' && event.calls > 0,
    'concludes': ({ event }) => event.type === 'round.recorded' && event.calls === 0 && event.final,
    'asks again': ({ event }) => event.type === 'round.recorded' && event.calls === 0 && !event.final,
    'no round is asked for': ({ context }) => !context.requested,
    'more verdicts are due': ({ context }) => context.left > 1,
    'it was the last verdict of a refused round': ({ context }) => context.left === 1 && context.completion === 'refused',
    'next is held': ({ event }) => 'next' in event && event.next === 'held',
    'next is ready': ({ event }) => 'next' in event && event.next === 'ready',
    'nothing is next': ({ event }) => 'next' in event && event.next === 'none',
    'last verdict, next is held': ({ context, event }) => context.left === 1 && 'next' in event && event.next === 'held',
    'last verdict, next is ready': ({ context, event }) => context.left === 1 && 'next' in event && event.next === 'ready',
    'last verdict, nothing is next': ({ context, event }) => context.left === 1 && 'next' in event && event.next === 'none',
    'a clean round concluded': ({ context }) => context.left === 0 && context.completion === 'clean',
    'a refused round concluded': ({ context }) => context.left === 0 && context.completion === 'refused',
    'no call is left open': ({ event }) => 'next' in event && event.next === 'none',
    'only a doubt is left open': ({ event }) => event.type === 'turn.failed' && (event.inDoubt ? event.started : event.next === 'none'),
    'its record is a miss': ({ event }) => event.type === 'call.dispatched' && event.from === 'executed',
    'it was in doubt': ({ event }) => event.type === 'call.dispatched' && event.from === 'dispatched',
    'the doubt is given up': ({ context, event }) => context.inDoubt && event.type === 'call.ended' && event.retried,
    'a call is in doubt while cancelling': ({ context }) => context.inDoubt && context.cancelling,
    'a call is in doubt, next is held': ({ context, event }) => context.inDoubt && 'next' in event && event.next === 'held',
    'a call is in doubt, next is ready': ({ context, event }) => context.inDoubt && 'next' in event && event.next === 'ready',
    'a call is in doubt, nothing is next': ({ context, event }) => context.inDoubt && 'next' in event && event.next === 'none',
    'an answer is due': ({ context }) => context.answerDue,
    'the ask is open': ({ context }) => !context.askExpired,
  },
  actions: {
    'await verdicts': assign({
      left: ({ event }) => (event.type === 'round.recorded' ? event.calls : 0),
      completion: ({ event }) => (event.type === 'round.recorded' ? event.completion : 'clean'),
      requested: false,
    }),
    'count a verdict': assign({ left: ({ context }) => context.left - 1 }),
    'await the round': assign({ requested: true }),
    'open the ask': assign({ askExpired: false }),
    'let the ask expire': assign({ askExpired: true }),
    'begin to cancel': assign({ cancelling: true }),
    'begin to cancel an ask': assign({ cancelling: true, answerDue: true }),
    'take the answer': assign({ answerDue: false }),
    'keep whether a call is in doubt': assign({ inDoubt: ({ event }) => event.type === 'turn.failed' && event.inDoubt }),
    'leave the doubt': assign({ inDoubt: false }),
    'start over': assign(() => AT_START),
    'stay': assign({}),
  },
})

/** An edge that may lead back to the same state: without an action XState cannot tell it from an event that is ignored. */
const STAY = { actions: 'stay' } as const

/** What may come while the turn is open and at rest. */
const atRest = { 'turn.cancelling': { target: 'cancelling', actions: 'begin to cancel' }, 'call.late': STAY } as const

/** Only where something runs can it fail. */
const failure = { guard: 'only a doubt is left open', target: 'failed', actions: 'keep whether a call is in doubt' } as const

/** The turn follows its next call, perhaps to the state it is in. */
const followOpen = [
  { guard: 'next is held', target: 'holding', ...STAY },
  { guard: 'next is ready', target: 'working', ...STAY },
] as const
const follow = [...followOpen, { guard: 'nothing is next', target: 'thinking' }] as const

/** A verdict by which the call goes on, and one by which it stops. */
const goesOn = [
  { guard: 'more verdicts are due', actions: 'count a verdict' },
  { guard: 'last verdict, next is held', target: 'holding', actions: 'count a verdict' },
  { guard: 'last verdict, next is ready', target: 'working', actions: 'count a verdict' },
] as const
const stops = [...goesOn, { guard: 'last verdict, nothing is next', target: 'thinking', actions: 'count a verdict' }] as const
const stopsRefused = [{ guard: 'it was the last verdict of a refused round', actions: 'count a verdict' }, ...stops] as const

const startOver = {
  'attempt.started': { guard: 'no call is left open', target: 'thinking', actions: 'start over' },
  'call.late': STAY,
} as const

export const turnChart = turns.createMachine({
  id: 'turn',
  context: AT_START,
  initial: 'unopened',
  states: {
    unopened: { on: { 'turn.opened': 'thinking' } },
    thinking: {
      meta: { effect: 'ask-model' },
      on: {
        'round.requested': { guard: 'no round is asked for', actions: 'await the round' },
        'round.failed': STAY,
        'call.dispatched': { guard: 'its record is a miss', target: 'working' },
        'round.recorded': [
          { guard: 'holds calls', target: 'admitting', actions: 'await verdicts' },
          { guard: 'concludes', target: 'admitting', actions: 'await verdicts' },
          { guard: 'asks again', actions: 'await verdicts' },
        ],
        'turn.exhausted': { guard: 'no call is left open', target: 'exhausted' },
        'turn.failed': failure,
        ...atRest,
        'turn.cancelling': { target: 'cancelling', actions: 'begin to cancel an ask' },
      },
    },
    admitting: {
      meta: { effect: 'admit' },
      on: {
        'call.admitted': goesOn,
        'call.held': goesOn,
        'call.invalid': stops,
        'call.suppressed': stops,
        'call.refused': stopsRefused,
        'call.ended': stopsRefused,
        'turn.completed': { guard: 'a clean round concluded', target: 'completed' },
        'turn.refused': { guard: 'a refused round concluded', target: 'refused' },
      },
    },
    working: {
      meta: { effect: 'run-call' },
      on: {
        'call.admitted': STAY,
        'call.held': followOpen,
        'call.refused': follow,
        'call.suppressed': follow,
        'call.ended': follow,
        'call.dispatched': STAY,
        'call.failed': STAY,
        'call.recorded': follow,
        'call.inquired': STAY,
        'call.settled': follow,
        // Holds of later calls: resolved in any order, and the next call is as it was.
        'approval.granted': STAY,
        'approval.denied': STAY,
        'approval.expired': STAY,
        'approval.turned-away': STAY,
        'clarification.asked': { guard: 'nothing is next', target: 'asking', actions: 'open the ask' },
        'turn.failed': failure,
        ...atRest,
      },
    },
    holding: {
      meta: { effect: 'await-approval' },
      on: {
        'approval.granted': followOpen,
        'approval.denied': follow,
        'approval.expired': follow,
        'approval.turned-away': STAY,
        'call.ended': follow,
        ...atRest,
      },
    },
    asking: {
      meta: { effect: 'await-answer' },
      on: {
        'clarification.answered': { guard: 'the ask is open', target: 'thinking' },
        'clarification.expired': { guard: 'the ask is open', actions: 'let the ask expire' },
        'clarification.turned-away': { guard: 'the ask is open', actions: 'stay' },
        'turn.exhausted': { guard: 'no call is left open', target: 'exhausted' },
        ...atRest,
      },
    },
    cancelling: {
      meta: { effect: 'cancel' },
      on: {
        'round.recorded': { guard: 'an answer is due', actions: 'take the answer' },
        'call.dispatched': { guard: 'it was in doubt', actions: 'stay' },
        'call.failed': STAY,
        'call.recorded': STAY,
        'call.settled': STAY,
        'call.ended': STAY,
        'call.late': STAY,
        'turn.cancelled': { guard: 'no call is left open', target: 'cancelled' },
        'turn.failed': failure,
      },
    },
    completed: { tags: ['end'], on: { 'call.late': STAY } },
    refused: { tags: ['end'], on: { 'call.late': STAY } },
    exhausted: { tags: ['end'], on: startOver },
    cancelled: { tags: ['end'], on: startOver },
    failed: {
      tags: ['end'],
      on: {
        ...startOver,
        'call.ended': { guard: 'the doubt is given up', actions: 'stay' },
        'call.settled': [
          { guard: 'a call is in doubt while cancelling', target: 'cancelling', actions: 'leave the doubt' },
          { guard: 'a call is in doubt, next is held', target: 'holding', actions: 'leave the doubt' },
          { guard: 'a call is in doubt, next is ready', target: 'working', actions: 'leave the doubt' },
          { guard: 'a call is in doubt, nothing is next', target: 'thinking', actions: 'leave the doubt' },
        ],
      },
    },
  },
})

export type TurnSnapshot = SnapshotFrom<typeof turnChart>
