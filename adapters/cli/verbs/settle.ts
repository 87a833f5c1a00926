// `settle`: an operator's word on a call of which nobody knows whether it happened (D6). The same attempt goes on.

import { Option } from 'commander'
import { ToolturnError } from '../../../machines/errors.ts'
import { withConfig, type ConfigFlags } from '../config.ts'
import { acting } from '../drive.ts'
import { personHere } from '../person.ts'
import { fromOne, jsonFile } from '../reading.ts'
import { command, verb, type Verb } from '../verb.ts'
import { withWhere, type WhereFlags } from '../where.ts'

type Flags = WhereFlags & ConfigFlags & { readonly happened?: string; readonly didNotHappen?: boolean }

const words = command('settle', 'Say what became of a call in doubt', 'settle 0190a0b0-0000-7000-8000-000000000000 2 --happened it.json')
  .argument('<turn>', 'its id')
  .argument('<ordinal>', 'of the call, from `show`', fromOne)
  .addOption(new Option('--happened <file>', 'it happened; the file holds its result as JSON').conflicts('didNotHappen'))
  .option('--did-not-happen', 'it did not, and you state that its worker is dead, so it cannot happen any more')

export const settle: Verb = verb<Flags>(withConfig(withWhere(words)), async ({ words: [turnId = '', ordinal = ''], flags, out }) => {
  const settlement = readSettlement(flags)
  return acting(flags, out, async ({ runtime, tenant }) => {
    await runtime.settle(turnId, Number(ordinal), { as: personHere(), via: 'app', tenant, ...settlement })
    return { turnId, ordinal: Number(ordinal), settled: 'happened' in settlement ? 'happened' : 'did-not-happen' }
  })
})

type Settlement = { readonly happened: unknown } | { readonly didNotHappen: true; readonly workerIsDead: true }

function readSettlement({ happened, didNotHappen }: Flags): Settlement {
  if (happened !== undefined) return { happened: jsonFile('--happened', happened) }
  if (didNotHappen === true) return { didNotHappen: true, workerIsDead: true }
  throw new ToolturnError('option_invalid', 'A doubt is settled by --happened <file> or by --did-not-happen.', { option: '--happened' })
}
