// Plays a history through the real loop: the world is the puppet's, the loop is ours, and what came of it is read from the store.

import type { Fact, StoredEvent } from '../../machines/events.ts'
import { openStage, type Stage } from '../stage/stage.ts'
import { followedBy, limitsFor } from './foresight.ts'
import { ANA } from './opening.ts'
import { actFor } from './people.ts'
import { createPuppet, type Puppet } from './puppet.ts'

export type Played = {
  readonly events: readonly StoredEvent[]
  /** How many facts of the history came about, from the first on. */
  readonly followed: number
  /** Appends after which the live state was not the folded one. */
  readonly strayed: readonly string[]
  /** What the loop threw; null for nothing. */
  readonly thrown: unknown
}

/** Plays a history as far as the loop goes along with it, and then on to the next rest. */
export async function play(history: readonly Fact[]): Promise<Played> {
  const puppet = createPuppet(history)
  const asksOnce = history.some(fact => fact.type === 'round.requested')
  const stage = await openStage(
    {
      model: {
        name: 'puppet',
        capabilities: { toolCalls: 'native', enforcedOutput: true },
        ask: (_request, context) => puppet.ask(context),
      },
      tools: puppet.tools,
      policy: call => puppet.policy(call.ordinal),
      limits: limitsFor(history),
      providerTools: [{ name: 'web_search', replayPolicy: asksOnce ? 'at-most-once' : 'read-only' }],
      onCommitted: puppet.changed,
    },
    { input: 'hello', principal: ANA, output: { schema: { type: 'string' } } },
  )
  puppet.enter(stage)
  const thrown = await playOn(stage, puppet).then(
    () => null,
    (error: unknown) => error,
  )
  const events = await stage.events()
  return { events, followed: followedBy(history, events), strayed: stage.strayed, thrown }
}

async function playOn(stage: Stage, puppet: Puppet): Promise<void> {
  for (;;) {
    const end = await driveOnce(stage, puppet)
    if (end === 'lease-lost') continue
    const fact = await puppet.next()
    const goesOn = fact !== undefined && (await happens(stage, puppet, fact))
    if (!goesOn && end === 'not due') return
  }
}

/** What comes while nobody drives: a person acts, or what was let go long ago completes. @returns false when nothing comes */
async function happens(stage: Stage, puppet: Puppet, fact: Fact): Promise<boolean> {
  if (fact.type !== 'call.late') return actFor(stage, fact, await puppet.afterNext())
  const { length } = await stage.events()
  puppet.changed()
  for (let tick = 0; tick < QUIET_TICKS; tick += 1) await new Promise(resolve => setImmediate(resolve))
  return (await stage.events()).length > length
}

/** Drives, and gives the history up when nothing moves any more. */
async function driveOnce(stage: Stage, puppet: Puppet): ReturnType<Stage['drive']> {
  let done = false
  const driven = stage.drive().finally(() => {
    done = true
  })
  driven.catch(() => undefined)
  for (let quiet = 0, seen = -1; !done; quiet += 1) {
    const { length } = await stage.events()
    if (length !== seen) quiet = 0
    seen = length
    if (quiet === QUIET_TICKS) puppet.giveUp()
    await new Promise(resolve => setImmediate(resolve))
  }
  return driven
}

/** Turns of the event loop without an append after which what waits would wait for ever: nothing here waits for the world outside. */
const QUIET_TICKS = 20
