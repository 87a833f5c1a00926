// Runs once before the tests that need servers: finds them, tells the tests where they are, and says what is not tested.

import type { TestProject } from 'vitest/node'
import { findNats, findPostgres, type FoundServer } from './servers-find.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of a Postgres in which tests may make schemas; null where there is none. */
    postgres: string | null
    /** URL of a NATS with JetStream in which tests may make streams; null where there is none. */
    nats: string | null
  }
}

/** @throws when a server is missing and `TOOLTURN_REQUIRE_SERVERS=1` asks for all of them */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const found: FoundServer[] = []
  const stop = async () => {
    for (const server of found) await server.stop()
  }
  try {
    for (const find of [findPostgres, findNats]) found.push(await find())
    for (const server of found) report(server)
  } catch (error) {
    await stop()
    throw error
  }
  for (const { kind, url } of found) project.provide(kind, url)
  return stop
}

function report({ kind, url, how }: FoundServer): void {
  if (url !== null) return console.log(`${kind}: ${how}`)
  const line = `NOT TESTED on ${kind}: ${how}`
  if (process.env['TOOLTURN_REQUIRE_SERVERS'] === '1') throw new Error(line)
  console.warn(`\n!!!! ${line} !!!!\n`)
}
