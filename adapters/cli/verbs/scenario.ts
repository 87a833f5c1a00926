// `scenario run`: runs scenario files, each a test without code.

import { given } from '../reading.ts'
import { safeText } from '../text.ts'
import { command, verb, type Verb } from '../verb.ts'
import { withWhere, type WhereFlags } from '../where.ts'

type Flags = WhereFlags & { readonly inProcess?: boolean; readonly report?: string }

const words = command('run', 'Run scenario files; exit 1 when any differs', 'scenario run scenarios/*.json --json')
  .argument('<files...>', 'JSON or YAML')
  .option('--in-process', 'no child processes: kills are simulated')
  .option('--report <folder>', 'keep there, for each file, all that happened')

export const scenarioRun: Verb = verb<Flags>(withWhere(words), async ({ words: files, flags, out }) => {
  const { runScenarioFiles } = await import('../../scenario/files.ts')
  // Each run has a store of its own; where none is named, a folder that is gone afterwards.
  const { store = 'pglite:', bus = 'memory:', inProcess = false, report } = flags
  const answer: typeof out.answer = (value, text) => out.answer(value, () => safeText(text()))
  return runScenarioFiles(files, { store, bus, inProcess, ...given({ report }) }, { answer, note: out.note })
})
