// The suite of killed workers, on any store that outlives a process: what each of them leaves behind, the next one brings to its end.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { invocationId } from '../../machines/ids.ts'
import type { TurnRow } from '../../machines/ports/rows.ts'
import type { ReplayResult, TurnResult, VerifyResult } from '../../machines/runtime/api.ts'
import { until } from '../bus/world.ts'
import { openEffects, type Deed, type Effects } from './effects.ts'
import { planOfRow, playPlans, turnsOf, type Lived } from './generations.ts'
import type { Listener, listenAt } from './listener.ts'
import { ROWS, type Came, type Row } from './matrix.ts'
import type { Room } from './room.ts'

/** What is known when every turn has ended. */
type Seen = {
  readonly lived: Lived
  readonly effects: Effects
  readonly turns: ReadonlyMap<string, TurnRow>
}

type Enter = (leaving: AsyncDisposableStack) => Promise<Room>

/** @param listen begins to listen before anything happens; absent where only one process has the store */
export function describeKills(name: string, enter: Enter, listen?: typeof listenAt): void {
  describe(name, () => {
    const leaving = new AsyncDisposableStack()
    let seen: Seen
    let listener: Listener | undefined

    beforeAll(async () => {
      const room = await enter(leaving)
      listener = await listen?.(room.address, leaving)
      const lived = await playPlans(room, ROWS, leaving)
      const effects = leaving.adopt(openEffects(room.effects), opened => opened.close())
      const turns = await turnsOf(lived.worker)
      seen = { lived, effects, turns: new Map(turns.map(turn => [planOfRow(turn), turn])) }
    }, 300_000)

    afterAll(() => leaving.disposeAsync())

    it('really killed a worker for each stop of the longest plan', () => {
      expect(seen.lived.killed).toBe(Math.max(...ROWS.map(({ stops }) => stops.length)))
    })

    describe('what is right comes of the turn, and it replays to the same', () => {
      it.each(ROWS.map(row => [row.name, row.says, row] as const))('%s: %s', async (_name, _says, row) => {
        expect(await came(seen, row)).toEqual(row.came)
        const { turnId } = turnOf(seen, row)
        const replayed: ReplayResult = await seen.lived.worker.ask('replay', turnId)
        expect(replayed).toMatchObject({ same: true, state: row.came.state, code: row.came.code, executions: 0, modelCalls: 0 })
      })
    })

    it('runs every call under one key, and a later run under a higher dispatch', () => {
      for (const row of ROWS) {
        const { tenant, turnId } = turnOf(seen, row)
        const runs = seen.effects.runs().filter(({ plan }) => plan === row.name)
        const key = (tool: string) => invocationId({ tenant, turnId, ordinal: 1, tool })
        const dispatches = runs.map(({ dispatch }) => dispatch)
        const keys = runs.map(({ invocation }) => invocation)
        expect(keys, row.name).toEqual(runs.map(({ tool }) => key(tool)))
        expect(dispatches, row.name).toEqual([...new Set(dispatches)].sort((a, b) => a - b))
      }
    })

    it('parks a turn that only took its workers down, and no other', () => {
      expect(seen.lived.parked).toEqual(ROWS.filter(({ parked }) => parked).map(({ name }) => name))
    })

    it('verifies whole', async () => {
      const verified: VerifyResult = await seen.lived.worker.ask('verify')
      expect(verified).toMatchObject({ ok: true, turns: ROWS.length, findings: [] })
    })

    if (listen !== undefined) {
      it('told every version once, in order, and knows that it did', async () => {
        const isPublished = ({ published, version }: TurnRow) => published === version
        await until('every version published', async () => (await turnsOf(seen.lived.worker)).every(isPublished))
        for (const { turnId, version } of seen.turns.values()) {
          await until(`version ${version} of ${turnId}`, () => listener?.(turnId).at(-1) === version)
          expect(listener?.(turnId)).toEqual(Array.from({ length: version }, (_, index) => index + 1))
        }
      })
    }
  })
}

function turnOf({ turns }: Seen, { name }: Row): TurnRow {
  const turn = turns.get(name)
  expect(turn, name).toBeDefined()
  return turn as TurnRow
}

async function came(seen: Seen, row: Row): Promise<Came> {
  const { lived, effects } = seen
  const { state, code, calls }: TurnResult = await lived.worker.ask('show', turnOf(seen, row).turnId)
  const ofPlan = ({ plan }: { readonly plan: string }) => plan === row.name
  const dispatchesOf = (things: readonly Deed[]) => things.filter(ofPlan).map(({ dispatch }) => dispatch)
  return {
    state: state as Came['state'],
    code,
    asks: effects.asks().filter(ofPlan).length,
    dispatches: calls[0]?.dispatches ?? 0,
    runs: dispatchesOf(effects.runs()),
    deeds: dispatchesOf(effects.deeds()),
  }
}
