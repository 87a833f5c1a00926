// `retry`: a new attempt of a turn that ended otherwise than it should have. New execution: nothing recorded is served to it (D7).

import { withConfig, type ConfigFlags } from '../config.ts'
import { printTurn, toRest } from '../drive.ts'
import { withRuntime } from '../open.ts'
import { personHere } from '../person.ts'
import { command, verb, type Verb } from '../verb.ts'
import { withWhere, type WhereFlags } from '../where.ts'

type Flags = WhereFlags & ConfigFlags & { readonly despiteDoubt?: boolean }

const words = command('retry', 'Start a turn over, as a new attempt', 'retry 0190a0b0-0000-7000-8000-000000000000 --config app.js')
  .argument('<turn>', 'its id')
  .option('--despite-doubt', 'also where a call is in doubt: its effect may happen again')

export const retry: Verb = verb<Flags>(withConfig(withWhere(words)), async ({ words: [turnId = ''], flags, out }) =>
  withRuntime(flags, 'own', out, async opened => {
    const { runtime, tenant } = opened
    await runtime.retry(turnId, { as: personHere(), via: 'app', tenant, despiteDoubt: flags.despiteDoubt === true })
    return printTurn(await toRest(opened, turnId, out), out)
  }),
)
