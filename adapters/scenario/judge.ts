// What came of a run, compared with what was expected. Only what the scenario names is compared.

import type { Event } from '../../machines/events.ts'
import { outcomeOf, stateName, type TurnState } from '../../machines/state.ts'
import type { Expectation, StepExpectation } from './format.ts'
import type { EntryOf, LedgerEntry } from './ledger.ts'
import { holds, isSame } from './match.ts'
import { requestDifferences } from './requests.ts'
import { holdsText } from './text.ts'
import { callsNamed } from './track.ts'

/** `path` is where in `expect` it stands. */
export type Difference = { readonly path: string; readonly expected: unknown; readonly actual: unknown }

export type Observed = {
  /** Null where the turn was not opened. */
  readonly state: TurnState | null
  /** Why it was not opened. */
  readonly code: string | null
  readonly events: readonly Event[]
  readonly ledger: readonly LedgerEntry[]
  readonly resolutions: readonly string[]
}

/** All that differs, in the order of the format. */
export function differencesIn(expect: Expectation, observed: Observed): readonly Difference[] {
  const { state, events, ledger, resolutions } = observed
  const requests = entriesIn(ledger, 'request')
  return [
    ...compared('state', expect.state, state === null ? null : stateName(state)),
    ...compared('code', expect.code, state === null ? observed.code : (state.end?.code ?? null)),
    ...Object.entries(expect.outcomes ?? {}).flatMap(([call, outcome]) => compared(`outcomes/${call}`, outcome, outcomesOf(state, call))),
    ...Object.entries(expect.executions ?? {}).flatMap(([tool, times]) =>
      compared(`executions/${tool}`, times, executionsOf(ledger, tool).length),
    ),
    ...Object.entries(expect.seen ?? {}).flatMap(([tool, seen]) =>
      compared(
        `seen/${tool}`,
        seen,
        executionsOf(ledger, tool).map(entry => entry.arguments),
      ),
    ),
    ...compared('modelCalls', expect.modelCalls, requests.length),
    ...compared(
      'events',
      expect.events,
      events.map(event => event.type),
    ),
    ...streamDifferences(expect, events),
    ...requestDifferences(expect.requests ?? [], requests, state),
    ...(expect.absent ?? []).flatMap(text => leaks(text, observed)),
    ...compared('resolutions', expect.resolutions, resolutions),
  ]
}

/** What came of a step. */
export type Came = { readonly [key in keyof StepExpectation]-?: unknown }

/** @param index position of the step */
export function stepDifferences(index: number, expected: StepExpectation, came: Came): readonly Difference[] {
  const keys = ['state', 'code', 'executions', 'modelCalls'] as const
  return keys.flatMap(key => compared(`then/${index}/${key}`, expected[key], came[key]))
}

function compared(path: string, expected: unknown, actual: unknown): readonly Difference[] {
  return expected === undefined || isSame(expected, actual) ? [] : [{ path, expected, actual }]
}

/** The outcome of the calls of that name: one word, unless they differ. Null while it is on its way. */
function outcomesOf(state: TurnState | null, call: string): unknown {
  if (state === null) return null
  const outcomes = new Set(callsNamed(state, call).map(outcomeOf))
  return outcomes.size > 1 ? [...outcomes] : ([...outcomes][0] ?? null)
}

function entriesIn<K extends LedgerEntry['kind']>(ledger: readonly LedgerEntry[], kind: K): readonly EntryOf<K>[] {
  return ledger.filter(entry => entry.kind === kind) as EntryOf<K>[]
}

function executionsOf(ledger: readonly LedgerEntry[], tool: string): readonly EntryOf<'execution'>[] {
  return entriesIn(ledger, 'execution').filter(entry => entry.tool === tool)
}

function streamDifferences({ includes = [], excludes = [] }: Expectation, events: readonly Event[]): readonly Difference[] {
  return [
    ...includes.flatMap((expected, index) => {
      const ofType = events.filter(event => event.type === expected.type)
      const found = ofType.some(event => holds(event.data, expected.data ?? {}))
      return found ? [] : [{ path: `includes/${index}`, expected, actual: ofType.map(event => event.data) }]
    }),
    ...excludes.flatMap((type, index) => {
      const found = events.filter(event => event.type === type)
      return found.length === 0 ? [] : [{ path: `excludes/${index}`, expected: type, actual: found.map(event => event.version) }]
    }),
  ]
}

/** Where a text is that must be nowhere. What tools were run with is no outward thing, and is not looked at. */
function leaks(text: string, { events, ledger }: Observed): readonly Difference[] {
  const places = [
    ...events.filter(event => holdsText(event, text)).map(event => `event ${event.version} ${event.type}`),
    ...ledger.flatMap(entry => (entry.kind !== 'execution' && holdsText(entry, text) ? [entry.kind] : [])),
  ]
  return places.length === 0 ? [] : [{ path: 'absent', expected: text, actual: [...new Set(places)] }]
}
