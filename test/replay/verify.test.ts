// Goal: whatever was done to a stream is found and told by version, and nothing is found where nothing was done.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StoredEvent } from '../../machines/events.ts'
import { verifyStream, type StreamCheck } from '../../machines/verify.ts'
import * as say from './given.ts'
import * as ends from './given-ends.ts'
import { given, opened } from './given.ts'
import { erased, forged, ofNewerRelease, without } from './harm.ts'
import { stories } from './stories.ts'

const { events, state } = given(
  opened(),
  say.calls('find'),
  say.admitted(1),
  say.dispatched(1),
  say.recorded(1),
  say.says('Done.'),
  ends.completed,
)

async function verified(stream: readonly StoredEvent[]): Promise<StreamCheck> {
  const check = await verifyStream(stream)
  if (check === null) throw new Error('there was a stream')
  return check
}

const versions = (check: StreamCheck) => check.findings.map(finding => finding.version)

describe('a sound stream', () => {
  test('has no findings, and its state is the fold', async () => {
    const check = await verified(events)
    expect(check).toMatchObject({ turnId: say.TURN, version: 7, hash: state.head, events: 7, erased: 0, unjudged: 0, findings: [] })
    expect(check.state?.version).toBe(7)
  })

  test('is sound whatever its history is', async () => {
    await fc.assert(
      fc.asyncProperty(stories(), async story => {
        expect(await verified(story.events)).toMatchObject({ findings: [], unjudged: 0, events: story.events.length })
      }),
    )
  })

  test('that is read as it comes is checked as it comes', async () => {
    async function* coming() {
      yield* events
    }
    expect(await verifyStream(coming())).toMatchObject({ events: 7, findings: [] })
    expect(await verifyStream([])).toBeNull()
  })
})

describe('a stream that was erased in part', () => {
  test('is not broken: its chain holds, and from there on its history is not judged', async () => {
    const { version, hash, findings, erased: count, unjudged } = await verified(erased(events, 5))
    expect({ version, hash, findings, count, unjudged }).toEqual({ version: 7, hash: state.head, findings: [], count: 1, unjudged: 3 })
  })

  test('is still found changed behind the erased payload', async () => {
    const changed = erased(events, 3).map(event => (event.version === 6 ? { ...event, data: {} } : event))
    expect(versions(await verified(changed))).toEqual([6])
  })
})

describe('harm', () => {
  test('to any one field of any event is found at its version', async () => {
    const fields: readonly (keyof StoredEvent)[] = [
      'turnId',
      'version',
      'type',
      'schemaVersion',
      'time',
      'tenant',
      'actor',
      'worked',
      'data',
      'salt',
      'dataHash',
      'previousHash',
      'hash',
    ]
    await fc.assert(
      fc.asyncProperty(stories(), fc.nat(), fc.constantFrom(...fields), async (story, at, field) => {
        const target = story.events[at % story.events.length]
        if (target === undefined) throw new Error('a story has events')
        const harmed = story.events.map(event => (event === target ? { ...event, [field]: otherThan(event[field]) } : event))
        const found = await verified(harmed)
        expect(found.findings.length).toBeGreaterThan(0)
        if (field !== 'version' && field !== 'turnId') expect(versions(found)[0]).toBe(target.version)
      }),
    )
  })

  test.each([1, 4, 7])('a hole at version %i is told where it begins', async version => {
    const found = await verified([...without(events, version), ...(version === 7 ? laterThan7() : [])])
    expect(found.findings[0]).toMatchObject({ turnId: say.TURN, problem: `version ${version} is missing` })
  })

  test('a wide hole is told once, and the chain behind it is checked on', async () => {
    const rest = [...without(without(events, 3), 4)]
    expect((await verified(rest)).findings).toEqual([{ turnId: say.TURN, version: 5, problem: 'versions 3 to 4 are missing' }])
    const worse = rest.map(event => (event.version === 7 ? { ...event, worked: 1_000_000 } : event))
    expect(versions(await verified(worse))).toEqual([5, 7])
  })

  test('a payload right behind a hole is held against its own digest', async () => {
    const changed = without(events, 3).map(event => (event.version === 4 ? { ...event, data: {} } : event))
    expect((await verified(changed)).findings.map(finding => finding.problem)).toContain('the payload does not fit its digest')
  })

  test('an event twice, and events in another order, are out of order', async () => {
    const [again] = (await verified([...events.slice(0, 3), ...events.slice(2)])).findings
    expect(again).toEqual({ turnId: say.TURN, version: 3, problem: 'the version stands here again, or out of order' })
    expect((await verified([...events].reverse())).findings.length).toBeGreaterThan(0)
  })

  test('an event of another turn is told as that', async () => {
    const [stray] = (await verified(events.map(event => (event.version === 3 ? { ...event, turnId: 'another' } : event)))).findings
    expect(stray).toEqual({ turnId: say.TURN, version: 3, problem: 'an event of another turn stands here' })
  })

  test('a history that no turn has is found, however well it is chained', async () => {
    const wrong = forged(events, 3, event => ({ ...event, type: 'turn.cancelled', data: {} }))
    const found = await verified(wrong)
    expect(versions(found)).toEqual([3])
    expect(found).toMatchObject({ unjudged: 5, state: null })
    expect(found.findings[0]?.problem).toContain('illegal_history')
  })

  test('an event of a newer release is told as that', async () => {
    const [first, ...rest] = events
    if (first === undefined) throw new Error('a story has a first event')
    const [finding] = (await verified([ofNewerRelease(first), ...rest])).findings
    expect(finding).toMatchObject({ version: 1, problem: expect.stringContaining('schema_newer') })
  })

  test('all over a stream is told up to a bound', async () => {
    let story = given(opened())
    for (let round = 0; round < 150; round += 1) story = say.told(story, say.round({ over: { completion: 'truncated' } }))
    const found = await verified(story.events.map(event => ({ ...event, worked: event.worked + 0.5 })))
    expect(found.events).toBe(151)
    expect(found.findings).toHaveLength(100)
  })
})

/** One more event behind version 7, so that a hole there shows. */
function laterThan7(): StoredEvent[] {
  const { events: longer } = [say.late(1)].reduce(say.told, { events, state })
  return longer.slice(-1)
}

function otherThan(value: unknown): unknown {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'string') return value.startsWith('0') ? `1${value.slice(1)}` : `0${value.slice(1)}`
  return { ...(value as object), harmed: true }
}
