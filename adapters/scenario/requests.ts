// What the model was sent, compared with what it should have been.

import type { ModelRequest, PairedResult } from '../../machines/ports/model.ts'
import type { TurnState } from '../../machines/state.ts'
import type { RequestExpectation } from './format.ts'
import type { Difference } from './judge.ts'
import type { EntryOf } from './ledger.ts'
import { isSame } from './match.ts'
import { holdsText } from './text.ts'
import { nameOf } from './track.ts'

export function requestDifferences(
  expected: readonly RequestExpectation[],
  requests: readonly EntryOf<'request'>[],
  state: TurnState | null,
): readonly Difference[] {
  return expected.flatMap((each, index) => oneRequest(`requests/${index}`, each, requests, state))
}

function oneRequest(
  path: string,
  expected: RequestExpectation,
  all: readonly EntryOf<'request'>[],
  state: TurnState | null,
): readonly Difference[] {
  const { round, resultsFor, contains = [], lacks = [] } = expected
  const request = lastFor(all, round)
  if (request === undefined) return [{ path: `${path}/round`, expected: round, actual: null }]
  const found: Difference[] = []
  if (resultsFor !== undefined) {
    const before = resultsIn(lastFor(all, round - 1)).length
    const actual = resultsIn(request)
      .slice(before)
      .map(result => idOf(result, state))
    if (!isSame(resultsFor, actual)) found.push({ path: `${path}/resultsFor`, expected: resultsFor, actual })
  }
  for (const text of contains) if (!holdsText(request, text)) found.push({ path: `${path}/contains`, expected: text, actual: null })
  for (const text of lacks) if (holdsText(request, text)) found.push({ path: `${path}/lacks`, expected: null, actual: text })
  return found
}

/** Tries of one round are asked the same. */
function lastFor(all: readonly EntryOf<'request'>[], round: number): ModelRequest | undefined {
  return all.findLast(entry => entry.round === round)?.request
}

/** A transcript only grows, so the results that a request brings anew are those behind the ones before. */
function resultsIn(request: ModelRequest | undefined): readonly PairedResult[] {
  return (request?.messages ?? []).flatMap(message => (message.role === 'tool' ? message.results : []))
}

/** The id that the provider gave the call whose result this is. */
function idOf(result: PairedResult, state: TurnState | null): string {
  const call = [...(state?.calls.values() ?? [])].find(({ item }) => item.id === result.id)
  return call === undefined ? result.id : nameOf(call)
}
