// Where a test of these has its store, its bus and its files, in words that other processes understand.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryBroker, memoryBus } from '../../bus/memory.ts'
import { nats } from '../../bus/nats.ts'
import type { BusSource } from '../../bus/source.ts'
import { embedded } from '../../store/embedded.ts'
import { postgres } from '../../store/postgres.ts'
import type { StoreSource } from '../../store/source.ts'

type OnPostgres = { readonly url: string; readonly schema: string }

export type Address = {
  readonly store: ({ readonly kind: 'postgres' } & OnPostgres) | { readonly kind: 'embedded'; readonly folder: string }
  /** Null: each process has a bus of its own. */
  readonly nats: { readonly url: string; readonly prefix: string } | null
}

export type Room = {
  readonly address: Address
  /** The place where effects happen. */
  readonly effects: string
}

/** @param leaving takes the files away in the end; schemas and streams are the test file's to drop */
export async function makeRoom(store: OnPostgres | 'embedded', bus: Address['nats'], leaving: AsyncDisposableStack): Promise<Room> {
  const folder = await mkdtemp(join(tmpdir(), 'toolturn-kills-'))
  leaving.defer(() => rm(folder, { recursive: true, force: true }))
  const where = store === 'embedded' ? { kind: store, folder: join(folder, 'store') } : ({ kind: 'postgres', ...store } as const)
  return { address: { store: where, nats: bus }, effects: join(folder, 'effects.db') }
}

export function storeAt({ store }: Address): StoreSource {
  return store.kind === 'embedded' ? embedded(store.folder) : postgres(store.url, { schema: store.schema, migrate: true })
}

export function busAt({ nats: at }: Address): BusSource {
  return at === null ? memoryBus(memoryBroker()) : nats(at.url, { prefix: at.prefix })
}
