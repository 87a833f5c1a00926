// Goal: a replay gives what the records say and executes nothing; what is missing, cut short or different fails it, by place.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { asEvent } from '../../machines/actor/draft.ts'
import type { StoredEvent } from '../../machines/events.ts'
import { fold } from '../../machines/fold.ts'
import { invocationId } from '../../machines/ids.ts'
import { replay, type ReplayOptions } from '../../machines/replay.ts'
import { isMiss, stateName, type TurnState } from '../../machines/state.ts'
import * as say from './given.ts'
import * as ends from './given-ends.ts'
import { given, opened } from './given.ts'
import { erased, forged, ofNewerRelease, without } from './harm.ts'
import { reachedBy } from './reached.ts'
import { stories } from './stories.ts'

/** Two calls in two rounds, then text. */
const ordinary = given(
  opened(),
  say.calls('find'),
  say.admitted(1),
  say.dispatched(1),
  say.recorded(1),
  say.calls('label'),
  say.held(2),
  ends.granted(2),
  say.admitted(2),
  say.dispatched(2),
  say.recorded(2),
  say.says('Done.'),
  ends.completed,
)

const ROUND_2 = 6
const call1 = { tenant: 'default', turnId: say.TURN, ordinal: 1 }

/** The ordinary stream with other words in one payload, chained anew. */
function rewritten(version: number, words: object, events = ordinary.events): StoredEvent[] {
  return forged(events, version, event => ({ ...event, data: { ...(event.data as object), ...words } }))
}

describe('a whole stream', () => {
  test('replays to its state and code, and executes nothing', () => {
    expect(replay(ordinary.events)).toMatchObject({ turnId: say.TURN, attempt: 1, state: 'completed', code: null, same: true })
    expect(replay(ordinary.events)).toMatchObject({ divergence: null, missing: null, executions: 0, modelCalls: 0 })
  })

  test('that ended in doubt ends so again: the record that never came is no miss', () => {
    const { events } = given(opened(), say.calls('pay'), say.admitted(1), say.dispatched(1), ends.failed('tool_outcome_unknown', 1))
    expect(replay(events)).toMatchObject({ state: 'failed', code: 'tool_outcome_unknown', same: true, missing: null })
  })

  test('of an open turn replays to where it rests', () => {
    const { events } = given(opened(), say.calls('pay'), say.held(1))
    expect(replay(events)).toMatchObject({ state: 'holding', code: null, same: true })
  })

  test('replays any prefix of any history to the state of its fold', () => {
    fc.assert(
      fc.property(stories(), fc.nat(), ({ events }, cut) => {
        const prefix = events.slice(0, 1 + (cut % events.length))
        const state = fold(prefix.map(asEvent))
        const result = replay(prefix)
        if (hasShortForm(state)) expect(['replay_source_missing', state.end?.code ?? null]).toContain(result.code)
        else expect(result).toMatchObject({ state: stateName(state), code: state.end?.code ?? null, attempt: state.attempt, same: true })
      }),
    )
  })

  test('gives the same digest of its messages whenever it is replayed, and another one behind every round', () => {
    const digests = ordinary.events.map((_, index) => replay(ordinary.events.slice(0, index + 1)).messages)
    expect(replay(ordinary.events).messages).toBe(digests.at(-1))
    expect(new Set(digests).size).toBeGreaterThan(3)
  })
})

function hasShortForm(state: TurnState): boolean {
  return [...state.calls.values()].some(isMiss)
}

describe('a record that is not there', () => {
  const places = ordinary.events.slice(0, -1).map(event => [event.version, event.type] as const)

  test.each(places)('version %i (%s) taken out is missed', version => {
    expect(replay(without(ordinary.events, version))).toMatchObject({
      state: 'failed',
      code: 'replay_source_missing',
      same: false,
      missing: { version },
      executions: 0,
      modelCalls: 0,
    })
  })

  test('is named with the call that was to be heard of', () => {
    expect(replay(without(ordinary.events, 5)).missing).toEqual({ version: 5, ordinal: 1 })
    expect(replay(without(ordinary.events, 1)).missing).toEqual({ version: 1, ordinal: null })
  })

  test('at the end is missed when the row of the turn knows of it', () => {
    const cut = ordinary.events.slice(0, -1)
    expect(replay(cut).same).toBe(true)
    const { code, missing } = replay(cut, { rowVersion: cut.length + 1 })
    expect({ code, missing }).toEqual({ code: 'replay_source_missing', missing: { version: cut.length + 1, ordinal: null } })
    expect(replay(ordinary.events, { rowVersion: cut.length }).same).toBe(true)
    expect(replay(cut, { at: cut.length + 1, rowVersion: cut.length + 1 })).toMatchObject({ code: 'replay_source_missing' })
    expect(replay(cut, { at: cut.length, rowVersion: cut.length + 1 }).same).toBe(true)
  })

  test('because its payload was erased is missed', () => {
    expect(replay(erased(ordinary.events, 5))).toMatchObject({ code: 'replay_source_missing', missing: { version: 5, ordinal: 1 } })
  })
})

describe('a record that is only a short form (D9)', () => {
  const short = { ...say.resultOf('the first half', { truncated: true }) }
  const asked = [say.calls('find'), say.admitted(1), say.dispatched(1)]

  test('is missed where a later round was asked with it', () => {
    const { events } = given(opened(), ...asked, say.recorded(1, short), say.says('Done.'), ends.completed)
    expect(replay(events)).toMatchObject({ state: 'failed', code: 'replay_source_missing', same: false })
    expect(replay(events).missing).toEqual({ version: 5, ordinal: 1 })
  })

  test('is missed where the turn ran into a limit with it', () => {
    const { events } = given(opened(), ...asked, say.recorded(1, short), ends.exhausted)
    expect(replay(events)).toMatchObject({ code: 'replay_source_missing', missing: { version: 5, ordinal: 1 } })
  })

  test('is not missed before anything needed it, nor where the turn was cancelled', () => {
    const open = given(opened(), ...asked, say.recorded(1, short))
    expect(replay(open.events)).toMatchObject({ state: 'thinking', same: true })
    const gone = [ends.cancelling, ends.cancelled].reduce(say.told, open)
    expect(replay(gone.events)).toMatchObject({ state: 'cancelled', same: true })
  })

  test('is whole where the blob store has the rest', () => {
    const { events } = given(opened(), ...asked, say.recorded(1, { ...short, blob: 'blob-1' }), say.says('Done.'), ends.completed)
    expect(replay(events)).toMatchObject({ state: 'completed', same: true })
  })

  test('is made good by a re-run that was recorded whole', () => {
    const again = [say.dispatched(1), say.recorded(1)]
    const { events } = given(opened(), ...asked, say.recorded(1, short), ...again, say.says('Done.'), ends.completed)
    expect(replay(events)).toMatchObject({ state: 'completed', same: true })
  })

  test('of a turn that failed for it ends the same', () => {
    const { events } = given(opened(), ...asked, say.recorded(1, short), ends.failed('replay_source_missing'))
    expect(replay(events)).toMatchObject({ state: 'failed', code: 'replay_source_missing', same: true })
  })
})

describe('a request that would be another one today', () => {
  test('is a divergence, named by version, round and both digests', () => {
    const events = rewritten(ROUND_2, { request: 'another' })
    const [current] = ordinary.state.rounds.slice(1).map(round => round.request)
    expect(replay(events)).toMatchObject({ state: 'failed', code: 'replay_diverged', same: false, missing: null })
    expect(replay(events).divergence).toEqual({ version: ROUND_2, round: 2, recorded: 'another', current })
  })

  test('is found where a tool was described otherwise, at the first round', () => {
    const events = forged(ordinary.events, 1, event => {
      const data = event.data as ReturnType<typeof opened>['data']
      return { ...event, data: { ...data, catalog: data.catalog.map(tool => ({ ...tool, description: 'Another text.' })) } }
    })
    expect(replay(events).divergence).toMatchObject({ version: 2, round: 1 })
  })

  test('is found where a result was written otherwise, at the round behind it', () => {
    expect(replay(rewritten(5, say.resultOf('another result'))).divergence).toMatchObject({ version: ROUND_2, round: 2 })
  })

  test('is found at the round that was only asked for', () => {
    const { events } = given(opened(), ends.requestedRound)
    const other = forged(events, 2, event => ({ ...event, data: { round: 1, request: 'another' } }))
    expect(replay(other).divergence).toMatchObject({ version: 2, round: 1, recorded: 'another' })
  })
})

describe('damage is thrown', () => {
  const codeOf = (events: readonly StoredEvent[], options?: ReplayOptions) => {
    try {
      return replay(events, options).code
    } catch (error) {
      return (error as { code?: string }).code
    }
  }
  const changed = (version: number, change: Partial<StoredEvent>) =>
    ordinary.events.map(event => (event.version === version ? { ...event, ...change } : event))

  test.each([
    ['a payload', changed(5, { data: { ordinal: 1 } })],
    ['a time', changed(5, { time: '2026-01-01T00:00:01.000Z' })],
    ['a hash', changed(5, { hash: 'f'.repeat(64) })],
    ['an event twice', [...ordinary.events.slice(0, 5), ...ordinary.events.slice(4)]],
  ])('%s that was changed breaks the chain', (_what, events) => {
    expect(codeOf(events)).toBe('history_broken')
  })

  test.each([
    ['an order that no turn has', forged(ordinary.events, 3, event => ({ ...event, type: 'turn.cancelled', data: {} }))],
    ['an invocation id of another call', rewritten(4, { invocationId: 'another' })],
    ['a dispatch of another tool', rewritten(4, { tool: 'pay', invocationId: invocationId({ ...call1, tool: 'pay' }) })],
    ['an approval id of another turn', rewritten(7, { approvalId: 'another.2.1' }).slice(0, 7)],
    ['a call under another id than the host gives', rewritten(2, { items: [{ ...ordinary.state.rounds[0]?.items[0], id: 'p1' }] })],
    ['an event of another tenant', forged(ordinary.events, 3, event => ({ ...event, tenant: 'theirs' }))],
    ['an event of another turn', forged(ordinary.events, 3, event => ({ ...event, turnId: 'another' }))],
    ['a payload of another shape', rewritten(4, { more: 1 })],
  ])('%s is illegal, however well it is chained', (_what, events) => {
    expect(codeOf(events)).toBe('illegal_history')
  })

  test('a transcript that leaves a call without its result is illegal', () => {
    const call = { kind: 'call', id: 'x', name: 'find', arguments: '{}' }
    const history = [
      { role: 'assistant', content: [call] },
      { role: 'user', text: 'And?' },
    ]
    const { events } = given(opened({ history }), say.says('Done.'))
    expect(codeOf(events)).toBe('illegal_history')
  })

  test('an event of a newer release is not guessed at', () => {
    const [first, ...rest] = ordinary.events
    if (first === undefined) throw new Error('a story begins')
    expect(codeOf([ofNewerRelease(first), ...rest])).toBe('schema_newer')
  })

  test.each([{ attempt: 2 }, { attempt: 0 }, { at: 99 }, { at: 1.5 }, { at: 1, attempt: 1 }])('%o is not there to be replayed', options => {
    expect(codeOf(ordinary.events, options)).toBe('option_invalid')
  })
})

describe('an attempt', () => {
  const twice = given(
    opened(),
    say.calls('pay'),
    say.admitted(1),
    say.dispatched(1),
    ends.failed('tool_outcome_unknown', 1),
    say.ended(1, 'retried'),
    ends.retried,
    say.calls('pay'),
    say.admitted(2),
    say.dispatched(2),
    say.recorded(2),
    say.says('Done.'),
    ends.completed,
  )

  test('is the last one unless another is named', () => {
    expect(replay(twice.events)).toMatchObject({ attempt: 2, state: 'completed', same: true })
  })

  test('that came before replays to its own end, on its own records', () => {
    expect(replay(twice.events, { attempt: 1 })).toMatchObject({ attempt: 1, state: 'failed', code: 'tool_outcome_unknown', same: true })
  })

  test('that came before is whole whatever is missing behind it', () => {
    expect(replay(without(twice.events, 11), { attempt: 1, rowVersion: 99 })).toMatchObject({ code: 'tool_outcome_unknown', same: true })
  })

  test('is judged by its own rounds only', () => {
    const events = rewritten(2, { request: 'another' }, twice.events)
    expect(replay(events)).toMatchObject({ state: 'completed', same: true })
    expect(replay(events, { attempt: 1 }).code).toBe('replay_diverged')
  })

  test('serves its own records, in order', () => {
    const served: number[] = []
    const onServed = (event: StoredEvent) => served.push(event.version)
    replay(twice.events, { attempt: 1, onServed })
    expect(served).toEqual([1, 2, 3, 4, 5, 6])
    served.length = 0
    replay(twice.events, { onServed })
    expect(served).toEqual([7, 8, 9, 10, 11, 12, 13])
  })
})

describe('a version', () => {
  test('is folded to, and compares and serves nothing', () => {
    const served: StoredEvent[] = []
    const events = rewritten(2, { request: 'another' })
    expect(replay(events, { at: 7, onServed: event => served.push(event) })).toMatchObject({ state: 'holding', same: true, attempt: 1 })
    expect(served).toEqual([])
  })
})

test('nothing that executes, decides or reaches the world can be reached from a replay', () => {
  const reached = reachedBy('machines/replay.ts')
  expect(reached).toContain('machines/transcript.ts')
  const folders = /^(store|bus|adapters|machines\/(actor|gates|results|runtime))\//
  const files = /^machines\/((admission|dispatch|decide|recovery|redaction|result)|schemas\/(cache|compile))\.ts$/
  expect(reached.filter(path => folders.test(path) || files.test(path))).toEqual([])
})
