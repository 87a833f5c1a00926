// What a test that needs servers uses: suites that skip where there is none, and names that no other test has.
// A test file imports this module itself; vitest.config.ts finds the files that need servers by that.

import { randomBytes } from 'node:crypto'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { Client } from 'pg'
import { afterAll, describe, inject, it } from 'vitest'
import './setup.ts'

/** A suite on a real Postgres. The body is handed its URL, and is not run where there is none. */
export function describeWithPostgres(name: string, body: (postgres: string) => void): void {
  describeWith({ postgres: where('postgres') }, name, ({ postgres }) => body(postgres))
}

/** A suite on a real NATS with JetStream. The body is handed its URL, and is not run where there is none. */
export function describeWithNats(name: string, body: (nats: string) => void): void {
  describeWith({ nats: where('nats') }, name, ({ nats }) => body(nats))
}

/** A suite on both. */
export function describeWithServers(name: string, body: (servers: { postgres: string; nats: string }) => void): void {
  describeWith({ postgres: where('postgres'), nats: where('nats') }, name, body)
}

function where(server: 'postgres' | 'nats'): string | null {
  const url = inject(server)
  if (url === undefined) throw new Error('A test file that needs servers must import test/servers.ts itself.')
  return url
}

function describeWith<K extends string>(servers: Record<K, string | null>, name: string, body: (urls: Record<K, string>) => void): void {
  const missing = Object.keys(servers).filter(server => servers[server as K] === null)
  if (missing.length === 0) describe(name, () => body(servers as Record<K, string>))
  else describe(name, () => it.skip(`NOT TESTED: no server: ${missing.join(', ')}`))
}

const schemas: string[] = []
const prefixes: string[] = []

/** The name of a Postgres schema that nobody else has. It is not made here; it is dropped when the file's tests are done. */
export function freshSchema(): string {
  const name = `toolturn_test_${randomBytes(6).toString('hex')}`
  schemas.push(name)
  return name
}

/** A subject prefix that nobody else has. Streams that listen on subjects under it are deleted when the file's tests are done. */
export function freshPrefix(): string {
  const name = `t${randomBytes(6).toString('hex')}`
  prefixes.push(name)
  return name
}

afterAll(async () => {
  await dropSchemas()
  await deleteStreams()
})

async function dropSchemas(): Promise<void> {
  const url = inject('postgres')
  if (schemas.length === 0 || url == null) return
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`set lock_timeout = '20s'`)
    for (const schema of schemas) await client.query(`drop schema if exists ${client.escapeIdentifier(schema)} cascade`)
  } finally {
    await client.end()
  }
}

async function deleteStreams(): Promise<void> {
  const url = inject('nats')
  if (prefixes.length === 0 || url == null) return
  const connection = await connect({ servers: url })
  try {
    const streams = (await jetstreamManager(connection)).streams
    for (const prefix of prefixes) {
      for (const subjects of [`${prefix}.>`, `${prefix}-replays.>`]) {
        for await (const { config } of streams.list(subjects)) await streams.delete(config.name)
      }
    }
  } finally {
    await connection.close()
  }
}
