// `fork`: a new turn that shares the beginning of another one, served from its records (D13).

import { withConfig, type ConfigFlags } from '../config.ts'
import { printTurn, toRest } from '../drive.ts'
import { withRuntime } from '../open.ts'
import { personHere } from '../person.ts'
import { fromOne } from '../reading.ts'
import { command, verb, type Verb } from '../verb.ts'
import { withWhere, type WhereFlags } from '../where.ts'

type Flags = WhereFlags & ConfigFlags & { readonly at: number }

const words = command('fork', 'Open a new turn that goes on from a version of another', 'fork 0190a0b0-0000-7000-8000-000000000000 --at 7')
  .argument('<turn>', 'the id of the other')
  .requiredOption('--at <version>', 'the last version they share', fromOne)

export const fork: Verb = verb<Flags>(withConfig(withWhere(words)), async ({ words: [turnId = ''], flags, out }) =>
  withRuntime(flags, 'own', out, async opened => {
    const { runtime, tenant } = opened
    const forked = await runtime.fork(turnId, { at: flags.at, as: personHere(), tenant })
    return printTurn(await toRest(opened, forked.id, out), out, { from: turnId, at: flags.at })
  }),
)
