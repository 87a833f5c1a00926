// The program on a Postgres schema of its own, for test files that say themselves that they need servers.

import { expect, vi } from 'vitest'
import type { Store } from '../../machines/ports/store.ts'
import type { TurnResult } from '../../machines/runtime/api.ts'
import { openPostgres } from '../../store/postgres.ts'
import { freshSchema } from '../servers.ts'
import { CONFIG, jsonOf, toolturn } from './command.ts'

/** Nothing is made until it is migrated. @param postgres URL of the server */
export function programOn(postgres: string) {
  const schema = freshSchema()
  const env = { TOOLTURN_STORE: `${postgres}?schema=${schema}` }
  const run = (...words: readonly string[]) => toolturn(words, env)
  const spawn = async (input: string, ...more: readonly string[]) =>
    jsonOf<TurnResult>(await run('spawn', '--config', CONFIG, '--input', input, '--json', ...more)).turnId
  return { env, schema, run, spawn, openStore: () => openPostgres(postgres, { schema }) }
}

export async function untilState(store: Store, turn: string, state: string): Promise<void> {
  await vi.waitFor(async () => expect((await store.turn(turn))?.state).toBe(state), { timeout: 50_000, interval: 50 })
}
