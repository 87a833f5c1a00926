// Goal: what a real model and real tools once said comes through admission, record, the death of a worker in every turn, recovery and
// replay byte for byte, and no booking is made twice.

import { describe, expect, it } from 'vitest'
import { memoryDatabase } from '../../store/memory.ts'
import { openEffects, type Effects } from '../kills/effects.ts'
import { spawnOf } from './cast.ts'
import { expectByteForByte } from './compare.ts'
import { begin } from './lives.ts'
import { readRecorded, writesIn, type Conversation, type Recorded } from './recorded.ts'

const recorded = readRecorded()

if (recorded === null) console.warn('\n!!!! NOT TESTED on recorded conversations: ../shared/data/airline is not beside the checkout !!!!\n')

describe('a recorded conversation, its worker dead once in every turn', () => {
  if (recorded === null) it.skip('NOT TESTED: no ../shared/data/airline')
  else comeThrough(recorded)
})

function comeThrough(all: Recorded): void {
  it.each(all.conversations.map(each => [each.name, each] as const))('%s', async (_name, conversation) => {
    const effects = openEffects(':memory:')
    const { runtime, turns, deaths } = await play(all, conversation, effects)
    expect(deaths).toBe(conversation.stretches.length)
    await expectByteForByte(runtime, conversation, turns)
    expect(await runtime.verify()).toMatchObject({ ok: true, turns: turns.length })
    expect(effects.deeds().length).toBe(writesIn(conversation))
    await runtime.close()
    effects.close()
  })
}

/** Plays every stretch as a turn that follows the one before. The worker dies in each, and another one brings it to its end. */
async function play(all: Recorded, { stretches }: Conversation, effects: Effects) {
  const database = memoryDatabase()
  const turns: string[] = []
  let deaths = 0
  let life = await begin(all, database, effects, stretches[0], null)
  for (const [index, stretch] of stretches.entries()) {
    const turn = await life.runtime.spawn(spawnOf(stretch, turns.at(-1)))
    await Promise.race([life.died, turn.result()])
    if (life.isDead()) {
      deaths += 1
      life = await begin(all, database, effects, stretches[index + 1], life)
    }
    expect(await (await life.runtime.get(turn.id)).result(), stretch.plan).toMatchObject({ state: 'completed' })
    turns.push(turn.id)
  }
  return { runtime: life.runtime, turns, deaths }
}
