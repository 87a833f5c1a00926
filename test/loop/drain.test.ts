// Goal: a worker that drains brings to its end what it has started, and leaves the rest to the next owner.

import { expect, test } from 'vitest'
import { scripted } from '../../adapters/models/scripted.ts'
import { tool } from '../../adapters/tool.ts'
import { createActor } from '../../machines/actor/actor.ts'
import { drive } from '../../machines/actor/drive.ts'
import { SCHEMA_VERSION } from '../../machines/events.ts'
import { callStateName } from '../../machines/state.ts'
import { openStage, type Stage } from '../stage/stage.ts'

const ANA = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' } as const

test('of two reads in doubt the first is run and recorded when the drain begins between them', async () => {
  const runs: number[] = []
  const look = tool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object', properties: { at: { type: 'integer' } } },
    replayPolicy: 'read-only',
    run: (_args, { ordinal }) => {
      runs.push(ordinal)
      return 'seen'
    },
  })
  const calls = [1, 2].map(at => ({ call: { name: 'look', arguments: { at } } }))
  const stage = await openStage(
    { model: scripted([{ stop: 'tool_calls', content: calls }]), tools: [look] },
    { input: 'Look.', principal: ANA },
  )
  stage.decide(({ events }) => (events.some(event => event.type === 'call.dispatched') ? 'dies after' : 'sent'))
  await stage.drive()
  stage.decide(() => 'sent')
  expect(runs).toEqual([])

  expect(await driveAndDrain(stage)).toBe('drained')
  expect(runs).toEqual([1])
  const { calls: left } = await stage.state()
  expect([...left.values()].map(callStateName)).toEqual(['executed', 'dispatched'])
})

/** Another worker takes the turn, and is told to drain as soon as it has committed something. */
async function driveAndDrain({ ports, turnId, state }: Stage) {
  const { store } = ports
  await store.enlist('drains', 1_000_000)
  const [claimed] = await store.claim({ worker: 'drains', count: 1, runtime: 'stage', tools: ['look'], format: SCHEMA_VERSION, turnId })
  const secrets = await store.secrets(turnId)
  let draining = false
  const actor = createActor({
    state: await state(),
    epoch: claimed?.epoch ?? 0,
    turnKey: secrets?.turnKey ?? new Uint8Array(),
    ports,
    control: {
      worker: 'drains',
      mayAct: () => true,
      draining: () => draining,
      signal: new AbortController().signal,
      onProgress: () => undefined,
      onCommitted: () => void (draining = true),
    },
  })
  return drive(actor)
}
