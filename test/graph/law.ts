// The law of both charts as tables, typed by hand from the contract and never read from a chart.

/** From which state, on which event, to which states: the law, written by hand. */
export type Law = { readonly [state: string]: { readonly [event: string]: readonly string[] } }

/** The turn follows its next call: it waits for a person, works, or thinks again. */
const OPEN = ['holding', 'working']
const FOLLOW = [...OPEN, 'thinking']

/** After a verdict: further ones are due, or the turn follows its next call. */
const GOES_ON = ['admitting', ...OPEN]
const STOPS = ['admitting', ...FOLLOW]

/** What can befall any open state that is at rest between two appends. */
const ANY_TIME = { 'turn.cancelling': ['cancelling'] }

export const TURN_LAW: Law = {
  unopened: { 'turn.opened': ['thinking'] },
  thinking: {
    'round.requested': ['thinking'],
    'round.failed': ['thinking'],
    'round.recorded': ['admitting', 'thinking'],
    'call.dispatched': ['working'],
    'call.late': ['thinking'],
    'turn.exhausted': ['exhausted'],
    'turn.failed': ['failed'],
    ...ANY_TIME,
  },
  admitting: {
    'call.admitted': GOES_ON,
    'call.held': GOES_ON,
    'call.invalid': STOPS,
    'call.refused': STOPS,
    'call.suppressed': STOPS,
    'call.ended': STOPS,
    'turn.completed': ['completed'],
    'turn.refused': ['refused'],
  },
  working: {
    'call.admitted': ['working'],
    'call.held': OPEN,
    'call.refused': FOLLOW,
    'call.suppressed': FOLLOW,
    'call.ended': FOLLOW,
    'call.dispatched': ['working'],
    'call.failed': ['working'],
    'call.recorded': FOLLOW,
    'call.inquired': ['working'],
    'call.settled': FOLLOW,
    'call.late': ['working'],
    'clarification.asked': ['asking'],
    'approval.granted': ['working'],
    'approval.denied': ['working'],
    'approval.expired': ['working'],
    'approval.turned-away': ['working'],
    'turn.failed': ['failed'],
    ...ANY_TIME,
  },
  holding: {
    'approval.granted': OPEN,
    'approval.denied': FOLLOW,
    'approval.expired': FOLLOW,
    'approval.turned-away': ['holding'],
    'call.ended': FOLLOW,
    'call.late': ['holding'],
    ...ANY_TIME,
  },
  asking: {
    'clarification.answered': ['thinking'],
    'clarification.expired': ['asking'],
    'clarification.turned-away': ['asking'],
    'call.late': ['asking'],
    'turn.exhausted': ['exhausted'],
    ...ANY_TIME,
  },
  cancelling: {
    'round.recorded': ['cancelling'],
    'call.dispatched': ['cancelling'],
    'call.failed': ['cancelling'],
    'call.recorded': ['cancelling'],
    'call.settled': ['cancelling'],
    'call.ended': ['cancelling'],
    'call.late': ['cancelling'],
    'turn.cancelled': ['cancelled'],
    'turn.failed': ['failed'],
  },
  completed: { 'call.late': ['completed'] },
  refused: { 'call.late': ['refused'] },
  exhausted: { 'attempt.started': ['thinking'], 'call.late': ['exhausted'] },
  cancelled: { 'attempt.started': ['thinking'], 'call.late': ['cancelled'] },
  failed: {
    'attempt.started': ['thinking'],
    'call.ended': ['failed'],
    'call.settled': ['cancelling', ...FOLLOW],
    'call.late': ['failed'],
  },
}

const late = (state: string) => ({ 'call.late': [state] })

export const CALL_LAW: Law = {
  proposed: {
    'call.admitted': ['admitted'],
    'call.held': ['held'],
    'call.invalid': ['invalid'],
    'call.refused': ['refused'],
    'call.suppressed': ['suppressed-repeat'],
    'call.ended': ['ended-turn'],
  },
  held: {
    'approval.granted': ['granted'],
    'approval.denied': ['refused'],
    'approval.expired': ['refused'],
    'approval.turned-away': ['held'],
    'call.ended': ['ended-turn'],
    ...late('held'),
  },
  granted: {
    'call.admitted': ['admitted'],
    'call.held': ['held'],
    'call.refused': ['refused'],
    'call.suppressed': ['suppressed-repeat'],
    'call.ended': ['ended-turn'],
    ...late('granted'),
  },
  admitted: {
    'call.dispatched': ['dispatched'],
    'call.held': ['held'],
    'call.refused': ['refused'],
    'call.suppressed': ['suppressed-repeat'],
    'call.ended': ['ended-turn'],
    'clarification.asked': ['ended-turn'],
    ...late('admitted'),
  },
  dispatched: {
    'call.dispatched': ['dispatched'],
    'call.failed': ['dispatched'],
    'call.recorded': ['executed'],
    'call.inquired': ['inquiring'],
    'call.settled': ['admitted', 'executed'],
    'call.ended': ['ended-turn'],
    ...late('dispatched'),
  },
  inquiring: {
    'call.held': ['held'],
    'call.refused': ['refused'],
    'call.ended': ['ended-turn'],
    ...late('inquiring'),
  },
  executed: { 'call.dispatched': ['dispatched'], ...late('executed') },
  refused: late('refused'),
  'suppressed-repeat': late('suppressed-repeat'),
  'ended-turn': late('ended-turn'),
  invalid: {},
}
