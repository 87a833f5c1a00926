// Goal: a fork goes on from served records under its own ids, with nothing in doubt, nothing held and no consent but its own (D13).

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Story } from './given.ts'
import type { EventOf, StoredEvent } from '../../machines/events.ts'
import type { Opening } from '../../machines/runtime/spawn.ts'
import { replay } from '../../machines/replay.ts'
import { callStateName, openCalls, outcomeOf, stateName } from '../../machines/state.ts'
import { verifyStream } from '../../machines/verify.ts'
import { messagesOf } from '../../machines/view.ts'
import * as say from './given.ts'
import * as ends from './given-ends.ts'
import { given, opened } from './given.ts'
import { erased, without } from './harm.ts'
import { forkOf, stateAt } from './forked.ts'
import { stories } from './stories.ts'

const typesOf = ({ turn }: Opening) => turn.events.map(event => event.type)
type Named = { readonly invocationId?: string; readonly approvalId?: string }
const dataOf = ({ turn }: Opening, type: string) => turn.events.filter(event => event.type === type).map(event => event.data as Named)
const refusalOf = (story: Story, at: number) =>
  forkOf(story.events, at).then(
    () => 'forked',
    (error: { code?: string; details?: object }) => ({ code: error.code, ...error.details }),
  )
const last = ({ events }: Story) => events.length

const ordinary = given(
  opened(),
  say.calls('find'),
  say.admitted(1),
  say.dispatched(1),
  say.recorded(1),
  say.calls('label'),
  say.held(2),
  ends.turnedAway(2),
  ends.granted(2),
  say.admitted(2),
  say.dispatched(2),
  say.recorded(2),
)

describe('a fork', () => {
  test('copies the prefix as served records, and says where it is from', async () => {
    const fork = await forkOf(ordinary.events, last(ordinary))
    expect(typesOf(fork)).toEqual(ordinary.events.map(event => event.type))
    expect(fork.state.opened).toMatchObject({ fork: { turnId: say.TURN, version: 12 }, key: null, labels: {}, principal: say.ANA })
    expect(fork.turn).toMatchObject({ key: null, owner: 'w-9', offers: ['find', 'label', 'pay', 'ask_user'], turnKey: say.TURN_KEY })
    expect(messagesOf(fork.state)).toEqual(messagesOf(ordinary.state))
    expect(fork.turn.approvals).toBeUndefined()
  })

  test('has its own ids: of the turn, of its invocations, of its holds', async () => {
    const fork = await forkOf(ordinary.events, last(ordinary))
    expect(fork.turn.turnId).not.toBe(say.TURN)
    const ids = dataOf(fork, 'call.dispatched').map(data => data.invocationId)
    const before = ordinary.events.map(event => (event.data as Named).invocationId)
    expect(ids.filter(id => before.includes(id))).toEqual([])
    const holds = ['call.held', 'approval.turned-away', 'approval.granted'].flatMap(type => dataOf(fork, type))
    expect(holds.map(data => data.approvalId)).toEqual(holds.map(() => `${fork.turn.turnId}.2.1`))
  })

  test('says who forked it, and has worked no time yet', async () => {
    const { turn, state } = await forkOf(ordinary.events, last(ordinary))
    for (const { actor } of turn.events) expect(actor).toEqual({ kind: 'person', issuer: 'os', id: 'ana' })
    expect(state.worked).toBe(0)
  })

  test('of a turn before its first round asks anew', async () => {
    const fork = await forkOf(ordinary.events, 1)
    expect(stateName(fork.state)).toBe('thinking')
    expect(fork.state.opened.fork).toEqual({ turnId: say.TURN, version: 1 })
  })

  test('of a fork says that it is from the fork', async () => {
    const first = await forkOf(ordinary.events, 6 + 1)
    const second = await forkOf(first.turn.events, 5)
    expect(second.state.opened.fork).toEqual({ turnId: first.turn.turnId, version: 5 })
  })
})

const UP_TO_ADMITTED = ['turn.opened', 'round.recorded', 'call.admitted']

describe('what was open starts anew, and asks again where it must', () => {
  const startsAs = async (story: Story, ordinal: number, at = last(story)) => {
    const fork = await forkOf(story.events, at)
    const call = fork.state.calls.get(ordinal)
    return { state: stateName(fork.state), call: call === undefined ? null : callStateName(call), types: typesOf(fork), fork }
  }

  test('a held call', async () => {
    const story = given(opened(), say.calls('pay', 'find'), say.held(1), say.admitted(2), ends.turnedAway(1))
    expect(await startsAs(story, 1)).toMatchObject({
      state: 'working',
      call: 'admitted',
      types: ['turn.opened', 'round.recorded', 'call.admitted', 'call.admitted'],
    })
  })

  test('a granted call: the consent was given to another turn, once', async () => {
    const story = given(opened(), say.calls('pay'), say.held(1), ends.granted(1), say.admitted(1))
    for (const at of [4, 5]) expect(await startsAs(story, 1, at)).toMatchObject({ call: 'admitted', types: UP_TO_ADMITTED })
  })

  test('an edited call, with the arguments that the model proposed', async () => {
    const edited = { arguments: { id: 'edited' }, argumentsDigest: 'edited', masked: false }
    const story = given(opened(), say.calls('pay'), say.held(1), ends.granted(1, edited))
    expect((await startsAs(story, 1)).fork.state.calls.get(1)?.prepared).toMatchObject({ arguments: { id: '1' } })
  })

  test('a call that was held again when the bit fell', async () => {
    const read = [say.calls('find', 'pay'), say.admitted(1), say.admitted(2), say.dispatched(1), say.recorded(1)]
    const story = given(opened(), ...read, say.held(2))
    expect(await startsAs(story, 2)).toMatchObject({ call: 'admitted', state: 'working' })
  })

  test('a later hold that was resolved is a record, the first one is not', async () => {
    const story = given(opened(), say.calls('pay', 'label'), say.held(1), say.held(2), ends.denied(2))
    const { fork, state } = await startsAs(story, 1)
    expect(state).toBe('working')
    expect([...fork.state.calls.values()].map(callStateName)).toEqual(['admitted', 'refused'])
  })

  test.each(['find', 'label'])('a call of %s in doubt, which may run again', async tool => {
    const story = given(opened(), say.calls(tool), say.admitted(1), say.dispatched(1), say.failedTry(1), say.dispatched(1))
    for (const at of [4, 5, 6]) expect(await startsAs(story, 1, at)).toMatchObject({ call: 'admitted', types: UP_TO_ADMITTED })
  })

  test('a doubt that was settled as not happened, with the failure that it took back', async () => {
    const story = given(opened(), ...say.started('pay'), ends.failed('tool_outcome_unknown', 1), say.settled(1, 'did-not-happen'))
    expect(await startsAs(story, 1)).toMatchObject({ call: 'admitted', types: UP_TO_ADMITTED })
  })

  test('a doubt that was settled as happened is a record', async () => {
    const story = given(opened(), ...say.started('pay'), ends.failed('tool_outcome_unknown', 1), say.settled(1, 'happened'))
    expect(await startsAs(story, 1)).toMatchObject({ call: 'executed', state: 'thinking' })
  })

  test('an ask that nobody answered, turned-away answers and its expiry with it', async () => {
    const asked = [say.calls('ask_user', 'find'), say.admitted(1), say.ended(2, 'after-ask'), ends.askedPerson(1)]
    const story = given(opened(), ...asked, ends.askTurnedAway(1), ends.askExpired(1))
    for (const at of [5, 6, 7]) {
      const { call, state, fork } = await startsAs(story, 1, at)
      expect({ call, state, asks: fork.state.asks }).toEqual({ call: 'admitted', state: 'working', asks: 0 })
    }
  })

  test('an ask that was answered is a record', async () => {
    const story = given(opened(), say.calls('ask_user'), say.admitted(1), ends.askedPerson(1), ends.answered(1))
    const { state, fork } = await startsAs(story, 1)
    expect(state).toBe('thinking')
    expect(messagesOf(fork.state)).toEqual(messagesOf(story.state))
  })

  test("a round that could not be had: its failed tries are not the fork's", async () => {
    const story = given(opened(), ends.failedRound, say.calls('find'), say.refused(1), ends.failedRound, ends.failedRound)
    const { fork } = await startsAs(story, 1)
    expect(fork.state.failedTries).toBe(0)
    expect(dataOf(fork, 'round.failed')).toHaveLength(1)
  })

  test('a read whose short form is being run again stands as the rounds behind it had it', async () => {
    const short = say.resultOf('the first half', { truncated: true })
    const story = given(opened(), ...say.started('find'), say.recorded(1, short), say.calls('find'), say.refused(2), say.dispatched(1))
    const { state, call, fork } = await startsAs(story, 1)
    expect({ state, call }).toEqual({ state: 'thinking', call: 'executed' })
    expect(dataOf(fork, 'call.dispatched')).toHaveLength(1)
  })
})

test('reads that ran beside one another: what was recorded is served, what was not is run again in its place', async () => {
  const admitted = [say.calls('find', 'find'), say.admitted(1), say.admitted(2)]
  const story = given(opened(), ...admitted, say.dispatched(1), say.dispatched(2), say.dispatched(1), say.recorded(2))
  const { state } = await forkOf(story.events, last(story))
  expect([...state.calls.values()].map(callStateName)).toEqual(['dispatched', 'executed'])
  expect(state.calls.get(1)?.chart.context.dispatch).toBe(1)
})

describe('a fork is refused', () => {
  test('where a call is in doubt that may not run again, and says where it is not', async () => {
    const story = given(opened(), say.calls('pay'), say.admitted(1), say.dispatched(1), say.recorded(1))
    expect(await refusalOf(story, 4)).toEqual({ code: 'fork_refused', version: 4, state: 'working', forkable: 3 })
    expect(await refusalOf(story, 5)).toBe('forked')
  })

  test('inside a group', async () => {
    const judged = given(opened(), say.calls('find', 'find'), say.admitted(1))
    expect(await refusalOf(judged, 3)).toMatchObject({ code: 'fork_refused', state: 'admitting', forkable: 1 })
    expect(await refusalOf(given(opened(), say.says('Done.')), 2)).toMatchObject({ code: 'fork_refused', state: 'admitting' })
  })

  test('while the turn is being cancelled, and behind every end', async () => {
    expect(await refusalOf(given(opened(), ends.cancelling), 2)).toMatchObject({ code: 'fork_refused', state: 'cancelling', forkable: 1 })
    expect(await refusalOf(given(opened(), ends.cancelling, ends.cancelled), 3)).toMatchObject({ state: 'cancelled', forkable: 1 })
    expect(await refusalOf(given(opened(), say.says('Done.'), ends.completed), 3)).toMatchObject({ state: 'completed', forkable: 1 })
    expect(await refusalOf(given(opened(), ends.exhausted), 2)).toMatchObject({ state: 'exhausted', forkable: 1 })
  })

  test('no more once a retry has led out of the end', async () => {
    expect(await refusalOf(given(opened(), ends.exhausted, ends.retried), 3)).toBe('forked')
  })

  test('where a round with effects is in doubt', async () => {
    expect(await refusalOf(given(opened(), ends.requestedRound), 2)).toMatchObject({ code: 'fork_refused', state: 'thinking', forkable: 1 })
  })

  test('where a result is not recorded whole and its tool may not simply run again', async () => {
    const short = say.resultOf('the first half', { truncated: true })
    const run = (tool: string) => given(opened(), ...say.started(tool), say.recorded(1, short))
    expect(await refusalOf(run('pay'), 5)).toMatchObject({ code: 'fork_refused' })
    expect(await refusalOf(run('find'), 5)).toBe('forked')
    const consent = [say.held(1), ends.granted(1), say.admitted(1), say.dispatched(1)]
    const granted = given(opened(), say.calls('label'), ...consent, say.recorded(1, short))
    expect(await refusalOf(granted, 7)).toMatchObject({ code: 'fork_refused' })
  })

  test.each([0, 13, 2.5])('at version %d, which is not there', async at => {
    expect(await refusalOf(ordinary, at)).toMatchObject({ code: 'option_invalid' })
  })

  test('where the prefix is not whole, and not for what is missing behind it', async () => {
    const harmed = (events: readonly StoredEvent[]): Story => ({ ...ordinary, events })
    const holed = harmed(without(ordinary.events, 4))
    expect(await refusalOf(holed, 7)).toMatchObject({ code: 'replay_source_missing', version: 4 })
    expect(await refusalOf(holed, 1)).toBe('forked')
    expect(await refusalOf(harmed(erased(ordinary.events, 4)), 7)).toMatchObject({ code: 'replay_source_missing', version: 4 })
    const changed = ordinary.events.map(event => (event.version === 4 ? { ...event, worked: 1 } : event))
    expect(await refusalOf(harmed(changed), 7)).toMatchObject({ code: 'history_broken' })
  })
})

describe('of any turn at any version', () => {
  test('a fork verifies, replays, keeps trust and outcomes, and holds nothing of the source; or it is refused for a reason', async () => {
    await fc.assert(
      fc.asyncProperty(stories(), fc.nat(), async ({ events }, choice) => {
        const at = 1 + (choice % events.length)
        const fork = await forkOf(events, at).catch((error: { code?: string; details: { forkable: number } }) => {
          expect(error.code).toBe('fork_refused')
          return forkOf(events, error.details.forkable)
        })
        await expectSound(fork, events.slice(0, fork.state.opened.fork?.version))
      }),
      { numRuns: 200 },
    )
  })
})

async function expectSound({ turn, state }: Opening, prefix: readonly StoredEvent[]): Promise<void> {
  const source = stateAt(prefix, prefix.length)
  expect(await verifyStream(turn.events)).toMatchObject({ findings: [], unjudged: 0 })
  expect(['thinking', 'working']).toContain(stateName(state))
  for (const call of openCalls(state)) {
    const isRead = state.catalog.get(call.item.name)?.replayPolicy === 'read-only'
    expect(isRead ? ['admitted', 'dispatched'] : ['admitted']).toContain(callStateName(call))
    expect(call.chart.context.dispatch).toBeLessThanOrEqual(1)
    expect(call).toMatchObject({ grant: null, hold: null })
  }
  const { contentTrust, attempt, nextOrdinal, rounds } = source
  expect(state).toMatchObject({ contentTrust, attempt, nextOrdinal, rounds })
  for (const call of source.calls.values()) {
    const settled = outcomeOf(call) !== null && outcomeOf(call) !== 'held' && (source.ask?.ordinal !== call.ordinal || call.answer !== null)
    if (settled) expect(state.calls.get(call.ordinal)).toMatchObject({ recorded: call.recorded, stop: call.stop, answer: call.answer })
  }
  // What is missed in the copy was missed in the source.
  if (replay(prefix).same) expect(replay(turn.events)).toMatchObject({ same: true, code: null })
  expect(turn.events.slice(1).filter(event => JSON.stringify(event).includes(say.TURN))).toEqual([])
  expect((turn.events[0] as StoredEvent & EventOf<'turn.opened'>).data.fork).toEqual({ turnId: say.TURN, version: prefix.length })
}
