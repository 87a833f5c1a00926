// `settle`: an operator's word on a call of which nobody knows whether it happened (D6). The same attempt goes on.

import { Option } from 'commander'
import { ToolturnError } from '../../../machines/errors.ts'
import { withConfig, type ConfigFlags } from '../config.ts'
import { acting } from '../drive.ts'
import { personHere } from '../person.ts'
import { fromOne, jsonFile } from '../reading.ts'
import { command, verb, type Verb } from '../verb.ts'
import { withWhere, type WhereFlags } from '../where.ts'

type Flags = WhereFlags & ConfigFlags & { readonly happened?: string; readonly didNotHappen?: boolean; readonly workerIsDead?: boolean }

const words = command('settle', 'Say what became of a call in doubt', 'settle 0190a0b0-0000-7000-8000-000000000000 2 --happened it.json')
  .argument('<turn>', 'its id')
  .argument('<ordinal>', 'of the call, from `show`', fromOne)
  .addOption(new Option('--happened <file>', 'it happened; the file holds its result as JSON').conflicts('didNotHappen'))
  .option('--did-not-happen', 'it did not; in a script this also states that its worker is dead, so it cannot happen any more')
  .option('--worker-is-dead', 'states so; asked for beside --did-not-happen at a terminal')

export const settle: Verb = verb<Flags>(withConfig(withWhere(words)), async ({ words: [turnId = '', ordinal = ''], flags, out }) => {
  const settlement = readSettlement(flags)
  return acting(flags, out, async ({ runtime, tenant }) => {
    await runtime.settle(turnId, Number(ordinal), { as: personHere(), via: 'app', tenant, ...settlement })
    return { turnId, ordinal: Number(ordinal), settled: 'happened' in settlement ? 'happened' : 'did-not-happen' }
  })
})

type Settlement = { readonly happened: unknown } | { readonly didNotHappen: true; readonly workerIsDead: true }

/** Somebody who sits at a terminal has not read what a script's author has: the statement is made by a word of its own there (D6). */
function readSettlement({ happened, didNotHappen, workerIsDead }: Flags): Settlement {
  if (happened !== undefined) return { happened: jsonFile('--happened', happened) }
  if (didNotHappen !== true) refuseWords('--happened', 'A doubt is settled by --happened <file> or by --did-not-happen.')
  if (workerIsDead !== true && process.stdin.isTTY) {
    refuseWords('--worker-is-dead', 'A worker that is alive may still do it. Make sure that it is dead, and say so by --worker-is-dead.')
  }
  return { didNotHappen: true, workerIsDead: true }
}

function refuseWords(option: string, message: string): never {
  throw new ToolturnError('option_invalid', message, { option })
}
