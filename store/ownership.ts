// Leases and claims. Leases go by the database's own clock, whatever tests do to the other; the epoch keeps the log right.

import { ToolturnError } from '../machines/errors.ts'
import type { Claimed, ClaimRequest, Store } from '../machines/ports/store.ts'
import { wakeText } from './append.ts'
import { clock, clockMs, type StoreClock } from './clock.ts'
import { toText } from './columns.ts'
import { statement, type Database } from './database.ts'
import { isTurnId } from './door.ts'
import { once, repeatable } from './faults.ts'
import { CLAIMS_BEFORE_PARKING, CLAIMS_BEFORE_SUSPICION, UNSERVED_MS } from './patience.ts'

const lease = (parameter: string) => `now() + ${parameter}::float8 * interval '1 millisecond'`

/** The condition that nobody with a running lease owns the row `t`. */
export function ownerless(schema: string): string {
  return `(t.owner is null or not exists (select 1 from "${schema}".workers w where w.id = t.owner and w.alive_until > now()))`
}

/** The condition that the row `t` has waited long enough, and that nobody who has all it offers was alive lately. */
function unserved(schema: string): string {
  const long = `${UNSERVED_MS} * interval '1 millisecond'`
  return `(t.wake_at <= ${clock(schema)} - ${long} and not exists (select 1 from "${schema}".workers w
      where w.alive_until > now() - ${long} and (w.runtime is null or w.runtime = t.runtime and t.offers <@ w.tools)))`
}

/**
 * Locks what is due and free, the longest due first, and passes over what another claim has in hand. Of what is suspect a worker
 * has one at a time; whoever claims by name takes it in any case.
 */
export function claimSql(schema: string, named: boolean): string {
  const suspect = `t.claims >= ${CLAIMS_BEFORE_SUSPICION}`
  const hasOne = `exists (select 1 from "${schema}".turns o where o.owner = $1 and o.claims >= ${CLAIMS_BEFORE_SUSPICION}
      and o.wake_at is not null and not o.parked and o.wake_at <= ${clock(schema)})`
  const which = named ? 't.turn_id = $6::uuid' : `not t.parked and (not ${suspect} or not ${hasOne})`
  const claims = named ? 'case when t.parked then 0 else t.claims end' : 't.claims'
  const parks = `${claims} >= ${CLAIMS_BEFORE_PARKING}`
  return `with free as (
  select t.turn_id, ${suspect} as suspect, t.claims from "${schema}".turns t
  where t.wake_at is not null and t.wake_at <= ${clock(schema)} and ${which}
    and t.runtime = $2 and t.format <= $3::int4 and (t.offers <@ $4::text[] or ${unserved(schema)}) and ${ownerless(schema)}
    and exists (select 1 from "${schema}".workers w where w.id = $1 and w.alive_until > now())
  order by t.wake_at, t.turn_id limit $5::int4 for no key update of t skip locked),
due as (
  select turn_id from free where not suspect
  union all (select turn_id from free where suspect order by claims, turn_id limit 1))
update "${schema}".turns t set
  parked = ${parks}, owner = case when ${parks} then null else $1 end, epoch = t.epoch + 1,
  claims = case when ${parks} then t.claims else ${claims} + 1 end
from due where t.turn_id = due.turn_id
returning t.turn_id::text as turn_id, t.tenant, t.epoch, t.version, t.parked`
}

export function heartbeatSql(schema: string): string {
  return `with held as (select * from unnest($3::uuid[], $4::int4[], $5::int4[]) as h(turn_id, version, epoch)),
beat as (
  update "${schema}".workers set alive_until = ${lease('$2')} where id = $1 and alive_until > now() returning id)
select 'clock' as kind, null as turn_id, null::int4 as epoch, ${clockMs(schema)} as ms from beat
union all
select 'moved', h.turn_id::text, h.epoch, null from held h left join "${schema}".turns t on t.turn_id = h.turn_id
where t.turn_id is null or t.version <> h.version or t.epoch <> h.epoch
union all
select 'unlisted', t.turn_id::text, t.epoch, null from "${schema}".turns t
where t.wake_at is not null and not t.parked and t.wake_at <= ${clock(schema)} and t.owner = $1
  and not exists (select 1 from held h where h.turn_id = t.turn_id and h.epoch = t.epoch)`
}

type BeatRow = { readonly kind: 'clock' | 'moved' | 'unlisted'; readonly turn_id: string; readonly epoch: number; readonly ms: number }
type ClaimRow = {
  readonly turn_id: string
  readonly tenant: string
  readonly epoch: number
  readonly version: number
  readonly parked: boolean
}

export function ownership(
  database: Database,
  storeClock: StoreClock,
): Pick<Store, 'enlist' | 'heartbeat' | 'retire' | 'claim' | 'release' | 'lead'> {
  const { schema } = database
  const statements = ownershipStatements(schema)
  const changes = (text: keyof typeof statements, parameters: Parameters<Database['run']>[1]) =>
    repeatable(() => database.run<{ id: string }>(statements[text], parameters)).then(rows => rows.length > 0)
  const unlisted = new Map<string, ReadonlySet<string>>()

  /** What an owner did not list twice in a row is released; what was claimed while a list was made is in the next one. */
  async function releaseUnlisted(worker: string, rows: readonly BeatRow[]): Promise<void> {
    const before = unlisted.get(worker) ?? new Set()
    const twice = rows.filter(row => before.has(`${row.turn_id} ${row.epoch}`))
    unlisted.set(worker, new Set(rows.map(row => `${row.turn_id} ${row.epoch}`)))
    if (twice.length === 0) return
    await changes('abandon', [toText(worker), twice.map(row => row.turn_id), twice.map(row => row.epoch)])
  }

  async function claim(request: ClaimRequest): Promise<readonly Claimed[]> {
    const { worker, runtime, format, tools, count, turnId } = request
    if (count < 1 || (turnId !== undefined && !isTurnId(turnId))) return []
    const any = [toText(worker), toText(runtime), format, tools.map(toText), count]
    const [text, parameters] = turnId === undefined ? [statements.claim, any] : [statements.claimOne, [...any, turnId]]
    const rows = await once(() => database.run<ClaimRow>(text, parameters))
    const claimed = rows.filter(row => !row.parked).map(toClaimed)
    const parked = rows.length - claimed.length
    if (parked === 0) return claimed
    database.log.warn('turns parked: claimed again and again without an append', { turns: parked })
    return [...claimed, ...(await claim({ ...request, count: count - claimed.length }))]
  }

  return {
    enlist: async (worker, leaseMs, serves) => {
      const what = serves === undefined ? [null, null] : [toText(serves.runtime), serves.tools.map(toText)]
      const added = await changes('enlist', [toText(worker), leaseMs, ...what])
      if (!added) throw new ToolturnError('option_invalid', `Worker ${worker} was enlisted before.`)
    },
    heartbeat: async (worker, leaseMs, held) => {
      const sentAt = performance.now()
      const list = [held.map(each => each.turnId), held.map(each => each.version), held.map(each => each.epoch)]
      const rows = await repeatable(() => database.run<BeatRow>(statements.heartbeat, [toText(worker), leaseMs, ...list]))
      const beat = rows.find(row => row.kind === 'clock')
      const moved = rows.filter(row => row.kind === 'moved').map(row => row.turn_id)
      if (beat === undefined) {
        unlisted.delete(worker)
        return { alive: false, moved }
      }
      storeClock.observe(beat.ms, sentAt)
      await releaseUnlisted(
        worker,
        rows.filter(row => row.kind === 'unlisted'),
      )
      return { alive: true, moved }
    },
    retire: async worker => {
      unlisted.delete(worker)
      await changes('retire', [toText(worker)])
    },
    claim,
    release: async (turnId, epoch, version, wakeAt) => isTurnId(turnId) && changes('release', [turnId, epoch, version, wakeText(wakeAt)]),
    lead: (name, worker, leaseMs) => changes('lead', [toText(name), toText(worker), leaseMs]),
  }
}

function toClaimed({ turn_id, tenant, epoch, version }: ClaimRow): Claimed {
  return { turnId: turn_id, tenant, epoch, version }
}

function ownershipStatements(schema: string) {
  return {
    enlist: statement(`with gone as (delete from "${schema}".workers where alive_until < now() - interval '1 day')
      insert into "${schema}".workers (id, alive_until, runtime, tools) values ($1, ${lease('$2')}, $3, $4::text[])
      on conflict do nothing returning id`),
    heartbeat: statement(heartbeatSql(schema)),
    retire: statement(`update "${schema}".workers set alive_until = least(alive_until, now()) where id = $1 returning id`),
    abandon: statement(`update "${schema}".turns t set owner = null from unnest($2::uuid[], $3::int4[]) as a(turn_id, epoch)
      where t.turn_id = a.turn_id and t.epoch = a.epoch and t.owner = $1 returning t.turn_id as id`),
    claim: statement(claimSql(schema, false)),
    claimOne: statement(claimSql(schema, true)),
    release: statement(`update "${schema}".turns set owner = null, claims = 0,
      wake_at = case when $4::text = 'now' then ${clock(schema)} else $4::timestamptz end
      where turn_id = $1::uuid and epoch = $2::int4 and version = $3::int4 returning turn_id as id`),
    lead: statement(`insert into "${schema}".leads as l (name, worker, until) values ($1, $2, ${lease('$3')})
      on conflict (name) do update set worker = excluded.worker, until = excluded.until
      where l.worker = excluded.worker or l.until <= now() returning name as id`),
  }
}
