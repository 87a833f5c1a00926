// `spawn`: opens a turn.

import { requireConfig, withConfig, type ConfigFlags } from '../config.ts'
import { printTurn, toRest } from '../drive.ts'
import { withRuntime } from '../open.ts'
import { personHere } from '../person.ts'
import { given, label } from '../reading.ts'
import { command, verb, type Verb } from '../verb.ts'
import { withWhere, type WhereFlags } from '../where.ts'

type Flags = WhereFlags &
  ConfigFlags & {
    readonly input: string
    readonly key?: string
    readonly label?: { readonly [name: string]: string }
  }

const words = command('spawn', 'Open a turn', `spawn --config app.js --input 'Order 42 arrived broken. Please refund it.'`)
  .requiredOption('--input <text>', 'what you ask for')
  .option('--key <key>', 'idempotency key: the same key gives the same turn')
  .option('--label <name=value>', 'a label, again and again', label)

export const spawn: Verb = verb<Flags>(withConfig(withWhere(words)), async ({ flags, out }) => {
  requireConfig(flags, 'spawn')
  return withRuntime(flags, 'new', out, async opened => {
    const { input, key, label: labels } = flags
    const turn = await opened.runtime.spawn({ input, principal: personHere(), tenant: opened.tenant, ...given({ key, labels }) })
    return printTurn(await toRest(opened, turn.id, out), out, { existing: turn.existing })
  })
})
