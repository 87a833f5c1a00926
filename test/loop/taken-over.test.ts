// Goal: an owner that was taken over while it stood still stops as fenced, whatever it finds its turn to be by then.

import { expect, test } from 'vitest'
import { tool } from '../../adapters/tool.ts'
import { scripted } from '../../adapters/models/scripted.ts'
import { asEvent, put, startDraft } from '../../machines/actor/draft.ts'
import { refresh } from '../../machines/actor/commit.ts'
import { dispatchFact } from '../../machines/decide.ts'
import { SCHEMA_VERSION } from '../../machines/events.ts'
import { project } from '../../machines/projection.ts'
import { nextCall, type CallState } from '../../machines/state.ts'
import { openStage, type Stage } from '../stage/stage.ts'

const ANA = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' } as const

test('a try that fails after another worker started the call again is no fault', async () => {
  const look = tool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    replayPolicy: 'read-only',
    tries: 3,
    run: async () => {
      await takeOver(stage)
      const [actor] = [stage.actor()]
      await (actor === null ? undefined : refresh(actor).catch(() => undefined))
      throw new Error('no answer')
    },
  })
  const model = scripted([{ stop: 'tool_calls', content: [{ call: { name: 'look', arguments: {} } }] }])
  const stage: Stage = await openStage({ model, tools: [look] }, { input: 'Look.', principal: ANA })
  expect(await stage.drive()).toBe('fenced')
})

/** The lease of the first worker ends; another one claims the turn, finds the call in doubt and commits that it starts it again. */
async function takeOver({ ports, turnId, state }: Stage): Promise<void> {
  const { store } = ports
  const row = await store.turn(turnId)
  await store.retire(row?.owner ?? '')
  await store.enlist('other', 1_000_000)
  const [claimed] = await store.claim({
    worker: 'other',
    count: 1,
    runtime: row?.runtime ?? '',
    tools: ['look'],
    format: SCHEMA_VERSION,
    turnId,
  })
  const base = await state()
  const stamp = {
    turnId,
    tenant: base.tenant,
    time: '2026-01-01T00:00:00.000Z',
    actor: { kind: 'worker' as const, id: 'other' },
    worked: base.worked,
  }
  const draft = put(startDraft(base), [dispatchFact(base, nextCall(base) as CallState)], stamp, () => '5a'.repeat(16))
  expect(draft.events.map(asEvent).map(event => event.type)).toEqual(['call.dispatched'])
  const answer = await store.append({
    turnId,
    expected: base.version,
    head: base.head,
    epoch: claimed?.epoch ?? 0,
    events: draft.events,
    projection: project(draft.state),
  })
  expect(answer).toEqual({ answer: 'accepted' })
}
