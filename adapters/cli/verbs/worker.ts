// `worker`: drives turns until it is told to stop, then drains. Told twice, it ends at once.

import { requireConfig, withConfig, type ConfigFlags } from '../config.ts'
import { EXIT } from '../exit.ts'
import { logTo } from '../log.ts'
import { hostOptions } from '../open.ts'
import { command, verb, type Verb } from '../verb.ts'
import { withWhere, type WhereFlags } from '../where.ts'

type Flags = WhereFlags & ConfigFlags

const words = command('worker', 'Drive turns until SIGTERM, then drain', 'worker --config app.js --store postgres://localhost/app')

export const worker: Verb = verb<Flags>(withConfig(withWhere(words)), async ({ flags, out }) => {
  requireConfig(flags, 'worker')
  const log = logTo(out, 'info')
  const host = await hostOptions(flags, 'due', log)
  const told = untilTold()
  const { createRuntime } = await import('../../host.ts')
  const runtime = await createRuntime(host)
  log.info('driving turns', { runtime: runtime.name, store: host.store.kind, bus: host.bus.kind, pid: process.pid })
  const signal = await told
  log.info('draining; a second signal ends this process at once', { signal })
  await runtime.close()
  log.info('drained')
  return EXIT.done
})

function untilTold(): Promise<string> {
  return new Promise(resolve => {
    const tell = (signal: string) => {
      resolve(signal)
      for (const name of ['SIGTERM', 'SIGINT']) process.removeListener(name, tell).once(name, () => process.exit(EXIT.failed))
    }
    for (const name of ['SIGTERM', 'SIGINT']) process.once(name, tell)
  })
}
