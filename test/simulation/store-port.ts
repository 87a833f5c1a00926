// The store as one process reaches it: over a line, with lost connections, locked rows, refusals and outages. What the port
// promises of them is kept; everything beyond is left to chance.

import { ToolturnError } from '../../machines/errors.ts'
import type { StoredEvent } from '../../machines/events.ts'
import type { Append, AppendAnswer, Claimed, OpenTurn, Store } from '../../machines/ports/store.ts'
import type { Chance } from './chance.ts'
import type { Line } from './line.ts'

export type StorePortOptions = {
  readonly store: Store
  readonly line: Line
  readonly chance: Chance
  /** True while the process cannot reach the store. */
  readonly away: () => boolean
  /** Probabilities; 0 once faults have stopped. */
  readonly faults: () => { readonly cut: number; readonly busy: number; readonly refuseRecord: number }
  readonly pass: (ms: number) => Promise<void>
  /** Called in the moment after a write was tried, before anybody else can write. */
  readonly committed: (write: Append | OpenTurn) => void
  readonly claimed: (claims: readonly Claimed[]) => void
  /** The same for a release; what it gives is called when the turn was let go. */
  readonly released: (turnId: string, epoch: number) => () => void
  readonly say: (what: string) => void
  /** How far its estimate of the store's clock is off. */
  readonly skewMs: number
  /** False: it is not told when somebody else appended. */
  readonly hears: boolean
}

const OUTAGE_MS = 500

export function storePort(options: StorePortOptions): Store {
  const { store, line, say } = options
  const on =
    <A extends unknown[], R>(name: string, work: (...args: A) => Promise<R>, tell?: (answer: R, ...args: A) => string) =>
    (...args: A): Promise<R> =>
      line(name, async () => {
        const answer = await reach(options, () => work(...args))
        const told = tell?.(answer, ...args)
        if (told !== undefined && told !== '') say(told)
        return answer
      })
  return {
    ...store,
    now: on('now', store.now),
    time: () => store.time() + options.skewMs,
    open: on(
      'open',
      async turn => {
        const answering = store.open(turn)
        options.committed(turn)
        return answering
      },
      (answer, turn) => `open ${turn.turnId.slice(-4)} ${answer.answer}`,
    ),
    append: append =>
      line(`append ${append.events.map(event => event.type).join(' ')}`, async () => {
        const answer = await appendOn(options, append)
        say(`append ${named(append.turnId, append.events)} ${append.epoch === null ? '' : `e${append.epoch} `}${answer.answer}`)
        return answer
      }),
    read: on('read', store.read),
    turn: on('turn', store.turn),
    secrets: on('secrets', store.secrets),
    turnByKey: on('turnByKey', store.turnByKey),
    list: on('list', store.list),
    approvals: on('approvals', store.approvals),
    approval: on('approval', store.approval),
    sealed: on('sealed', store.sealed),
    enlist: on('enlist', store.enlist, (_, worker) => `enlist ${worker}`),
    heartbeat: on('heartbeat', store.heartbeat, ({ alive }, worker) => (alive ? '' : `heartbeat ${worker}: the lease had ended`)),
    retire: on('retire', store.retire, (_, worker) => `retire ${worker}`),
    claim: on(
      'claim',
      request => claim(options, request),
      claims => claims.map(({ turnId, epoch, version }) => `claim ${turnId.slice(-4)} e${epoch} at ${version}`).join(', '),
    ),
    release: on(
      'release',
      (...args) => release(options, args),
      (done, turnId, epoch, version) => `release ${turnId.slice(-4)} e${epoch} at ${version} ${done}`,
    ),
    feed: on('feed', store.feed),
    feedEnd: on('feedEnd', store.feedEnd),
    heads: on('heads', store.heads),
    saveCursor: on('saveCursor', store.saveCursor),
    cursor: on('cursor', store.cursor),
    unpublished: on('unpublished', store.unpublished),
    acknowledge: on('acknowledge', store.acknowledge),
    lead: on('lead', store.lead),
    onWake: callback => (options.hears ? store.onWake(callback) : () => {}),
    blobs: { put: on('put', store.blobs.put), get: on('get', store.blobs.get) },
    health: on('health', store.health),
    close: store.close,
  }
}

async function claim({ store, claimed }: StorePortOptions, request: Parameters<Store['claim']>[0]): Promise<readonly Claimed[]> {
  const claims = await store.claim(request)
  claimed(claims)
  return claims
}

async function release({ store, released }: StorePortOptions, args: Parameters<Store['release']>): Promise<boolean> {
  const releasing = store.release(...args)
  const report = released(args[0], args[1])
  const done = await releasing
  if (done) report()
  return done
}

function named(turnId: string, events: readonly StoredEvent[]): string {
  return `${turnId.slice(-4)} ${events.map(event => `${event.version} ${event.type}`).join(', ')}`
}

/** During an outage the caller only learns that; what he sent may have arrived. */
async function reach<R>({ away, chance, pass }: StorePortOptions, work: () => Promise<R>): Promise<R> {
  if (!away()) return work()
  if (chance.hit(0.3)) await work()
  await pass(chance.from(0, OUTAGE_MS))
  throw new ToolturnError('store_unreachable', 'The simulated store is out of reach.')
}

/** A lost connection is not an answer: what became of the append is found out before one is given. */
async function appendOn(options: StorePortOptions, append: Append): Promise<AppendAnswer> {
  const { chance, pass, faults } = options
  const { cut, busy, refuseRecord } = faults()
  if (chance.hit(busy)) return { answer: 'busy' }
  if (isRecord(append) && chance.hit(refuseRecord))
    return { answer: 'failed', error: new Error('The simulated store refuses this record.') }
  if (chance.hit(cut)) {
    if (chance.hit(0.5)) await reach(options, () => write(options, append))
    await pass(chance.one([10, 300, 4_000]))
  }
  return reach(options, () => write(options, append))
}

function isRecord({ events }: Append): boolean {
  return events.some(event => event.type === 'call.recorded')
}

async function write({ store, committed }: StorePortOptions, append: Append): Promise<AppendAnswer> {
  const answering = store.append(append)
  committed(append)
  return answering
}
