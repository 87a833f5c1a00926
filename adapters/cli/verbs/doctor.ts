// `doctor`: what is configured, reachable, migrated and lagging.

import type { JsonObject } from '../../../machines/json.ts'
import type { BusHealth } from '../../../machines/ports/bus.ts'
import type { StoreHealth } from '../../../machines/ports/rows.ts'
import { isoTime } from '../../../machines/time.ts'
import { withConfig, type ConfigFlags } from '../config.ts'
import { EXIT, reportOf } from '../exit.ts'
import { silentLog } from '../../log.ts'
import { logTo } from '../log.ts'
import { hostOptions, type Host } from '../open.ts'
import type { Output } from '../output.ts'
import { factOf, facts, safeJson, type Fact } from '../text.ts'
import { command, verb, type Verb } from '../verb.ts'
import { withWhere, type WhereFlags } from '../where.ts'

type Flags = WhereFlags & ConfigFlags

/** What could be opened, and why the rest could not. */
type Diagnosis = {
  readonly store:
    | (StoreHealth & { readonly reachable: true })
    | { readonly reachable: false; readonly code: string; readonly details: object }
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
      const { store, bus, ...configured } = (await runtime.doctor()) as unknown as { store: StoreHealth; bus: BusHealth } & JsonObject
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

/** A transaction that is younger than this is at work; an older one was forgotten. */
const LONG_MS = 10_000

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
    ...horizon
      .filter(({ since }) => Date.now() - since > LONG_MS)
      .map(({ pid, database, since }) => `process ${pid} holds up the feed from database ${database} since ${isoTime(since)}`),
  ]
}

function diagnosisText({ store, bus, configured }: Diagnosis, problems: readonly string[]): string {
  const rows = [
    ...(store.reachable ? storeFacts(store, bus) : [factOf('store', store.code)]),
    factOf('bus', `${bus.kind}, ${bus.server}, ${bus.reachable ? `reachable, ${bus.messages} messages` : 'not reachable'}`),
    ...Object.entries(configured).map(([name, value]) => factOf(name, value)),
  ]
  return [facts(rows), ...problems.map(problem => `! ${problem}`)].join('\n')
}

function storeFacts({ kind, server, schemaVersion, migrated, turns, backlog }: StoreHealth, bus: BusHealth): readonly Fact[] {
  // A command that drives without a broker publishes nothing, so that all of it is there for the broker that is named one day.
  const why = backlog > 0 && bus.kind !== 'nats' ? ', kept until a broker is named (--bus nats://…)' : ''
  return [
    factOf('store', `${kind}, ${server}`),
    factOf('schema', `${schemaVersion}${migrated ? ', up to date' : ', not up to date'}`),
    factOf('turns', `${turns.open} open, ${turns.unowned} of them with no worker now, ${turns.parked} parked`),
    factOf('unpublished', `${backlog} versions${why}`),
  ]
}
