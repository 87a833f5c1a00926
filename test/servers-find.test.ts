// The finding of test servers: what is named must be there; what is installed is started, and is gone when it was stopped.

import { afterEach, describe, expect, it, vi } from 'vitest'
import { findNats, findPostgres, type FoundServer } from './servers-find.ts'
import { startNats, startPostgres, type StartedServer } from './servers-start.ts'

type Kind = {
  readonly name: string
  readonly variable: string
  readonly find: () => Promise<FoundServer>
  readonly start: (reachable: (url: string) => Promise<boolean>) => Promise<StartedServer | null>
  readonly nowhere: string
}

const postgres = { name: 'Postgres', variable: 'TOOLTURN_TEST_POSTGRES', nowhere: 'postgres://postgres@127.0.0.1:1/test' }
const nats = { name: 'NATS', variable: 'TOOLTURN_TEST_NATS', nowhere: 'nats://127.0.0.1:1' }
const kinds: readonly Kind[] = [
  { ...postgres, find: findPostgres, start: startPostgres },
  { ...nats, find: findNats, start: startNats },
]

afterEach(() => {
  vi.unstubAllEnvs()
})

describe.each(kinds)('$name', ({ variable, find, start, nowhere }) => {
  const isAt = async (url: string) => {
    vi.stubEnv(variable, url)
    return find().then(
      found => found.url === url,
      () => false,
    )
  }

  it('is not replaced by another one when it was named and cannot be reached', async () => {
    vi.stubEnv(variable, nowhere)
    await expect(find()).rejects.toThrow(variable)
  })

  it('is started from what is installed, answers, and is gone once it was stopped', async ({ skip }) => {
    const started = await start(isAt)
    if (started === null) return skip('NOT TESTED: no binary is installed')
    expect(await isAt(started.url)).toBe(true)
    await started.stop()
    expect(await isAt(started.url)).toBe(false)
  })
})
