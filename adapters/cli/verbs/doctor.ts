// `doctor`: what is configured, reachable, migrated and lagging.

import type { JsonObject } from '../../../machines/json.ts'
import type { BusHealth } from '../../../machines/ports/bus.ts'
import type { StoreHealth } from '../../../machines/ports/store.ts'
import { isoTime } from '../../../machines/time.ts'
import { withConfig, type ConfigFlags } from '../config.ts'
import { EXIT, reportOf } from '../exit.ts'
import { silentLog } from '../../log.ts'
import { logTo } from '../log.ts'
import { hostOptions, type Host } from '../open.ts'
import type { Output } from '../output.ts'
import { facts, safeJson } from '../text.ts'
import { command, verb, type Verb } from '../verb.ts'
import { withWhere, type WhereFlags } from '../where.ts'

type Flags = WhereFlags & ConfigFlags

/** What could be opened, and why the rest could not. */
type Diagnosis = {
  readonly store: (StoreHealth & { readonly reachable: true }) | { readonly reachable: false; readonly code: string; readonly details: object }
  readonly bus: BusHealth
  readonly configured: JsonObject
}

const words = command('doctor', 'Say what is configured, reachable, migrated and lagging', 'doctor --store postgres://localhost/app --json')

export const doctor: Verb = verb<Flags>(withConfig(withWhere(words)), async ({ flags, out }) => {
  const diagnosis = await diagnose(flags, out)
  const problems = problemsOf(diagnosis)
  await out.answer({ ...diagnosisJson(diagnosis), problems }, () => diagnosisText(diagnosis, problems))
  return diagnosis.store.reachable && diagnosis.store.migrated && diagnosis.bus.reachable ? EXIT.done : EXIT.unreachable
})

async function diagnose(flags: Flags, out: Output): Promise<Diagnosis> {
  const host = await hostOptions(flags, 'nothing', logTo(out, 'warn'))
  const { createRuntime } = await import('../../host.ts')
  try {
    const runtime = await createRuntime(host)
    try {
      const { store, bus, ...configured } = await runtime.doctor() as unknown as { store: StoreHealth; bus: BusHealth } & JsonObject
      return { store: { ...store, reachable: true }, bus, configured }
    } finally {
      await runtime.close()
    }
  } catch (error) {
    const { exit, code, details } = reportOf(error)
    if (exit !== EXIT.unreachable) throw error
    return { store: { reachable: false, code, details }, bus: await busAlone(host), configured: {} }
  }
}

/** Without a store there is no runtime; the bus can still be asked. */
async function busAlone({ bus: source, log = silentLog }: Host): Promise<BusHealth> {
  const bus = await source.open(log)
  try {
    return await bus.health()
  } finally {
    await bus.close()
  }
}

function diagnosisJson({ store, bus, configured }: Diagnosis): object {
  if (!store.reachable) return { store, bus, ...configured }
  const horizon = store.horizon.map(holder => ({ ...holder, since: isoTime(holder.since) }))
  return { store: { ...store, horizon }, bus, ...configured }
}

/** What somebody should look at, in sentences. */
function problemsOf({ store, bus }: Diagnosis): readonly string[] {
  const broken = bus.reachable ? [] : [`bus_unreachable: ${bus.server}`]
  if (!store.reachable) return [`${store.code}: ${safeJson(store.details)}`, ...broken]
  const { turns, backlog, horizon, migrated } = store
  return [
    ...(migrated ? [] : ['schema_unmigrated: run `toolturn migrate`']),
    ...broken,
    ...(turns.parked > 0 ? [`${turns.parked} turns are parked: \`recover <turn>\` takes one up again`] : []),
    ...(backlog > 0 && bus.kind === 'nats' ? [`${backlog} versions are not published yet`] : []),
    ...horizon.map(({ pid, database, since }) => `process ${pid} holds up the feed from database ${database} since ${isoTime(since)}`),
  ]
}

function diagnosisText({ store, bus, configured }: Diagnosis, problems: readonly string[]): string {
  const rows: [string, string][] = store.reachable
    ? [
        ['store', `${store.kind}, ${store.server}`],
        ['schema', `${store.schemaVersion}${store.migrated ? ', up to date' : ', not up to date'}`],
        ['turns', `${store.turns.open} open, ${store.turns.unowned} of them with no worker now, ${store.turns.parked} parked`],
        ['unpublished', `${store.backlog} versions`],
      ]
    : [['store', store.code]]
  rows.push(['bus', `${bus.kind}, ${bus.server}, ${bus.reachable ? `reachable, ${bus.messages} messages` : 'not reachable'}`])
  rows.push(...Object.entries(configured).map(([name, value]): [string, string] => [name, typeof value === 'string' ? value : safeJson(value)]))
  return [facts(rows), ...problems.map(problem => `! ${problem}`)].join('\n')
}
