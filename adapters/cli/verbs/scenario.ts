// `scenario run`: runs scenario files, each a test without code; and suites of them, with a report of what they show.

import { refuse } from '../../../machines/runtime/door.ts'
import { safeText } from '../text.ts'
import { command, verb, type Verb } from '../verb.ts'
import { withWhere, type WhereFlags } from '../where.ts'

type Flags = WhereFlags & { readonly inProcess?: boolean; readonly suite?: readonly string[]; readonly report?: string | true }

const added = (name: string, before: readonly string[] = []): readonly string[] => [...before, name]

const words = command('run', 'Run scenario files; exit 1 when any differs', 'scenario run scenarios/*.json --json')
  .argument('[files...]', 'JSON or YAML')
  .option('--suite <name or file>', 'run a suite, and report what it shows; again and again for several', added)
  .option('--in-process', 'no child processes: kills are simulated')
  .option(
    '--report [folder]',
    'keep there, for each file, all that happened, and the report of suites; without a folder that is only printed',
  )

export const scenarioRun: Verb = verb<Flags>(withWhere(words), async ({ words: files, flags, out }) => {
  // Each run has a store of its own; where none is named, a folder that is gone afterwards.
  const { store = 'pglite:', bus = 'memory:', inProcess = false, suite = [], report } = flags
  if (suite.length > 0 && files.length > 0) refuse('files', 'none beside `--suite`, which names its own')
  if (suite.length === 0 && report === true) refuse('report', 'a folder; without one it goes with `--suite`')
  const answer: typeof out.answer = (value, text) => out.answer(value, () => safeText(text()))
  const options = { store, bus, inProcess, ...(typeof report === 'string' ? { report } : {}) }
  const output = { answer, note: out.note }
  if (suite.length > 0) {
    const { runSuites } = await import('../../scenario/conformance.ts')
    return runSuites(suite, options, output)
  }
  const { runScenarioFiles } = await import('../../scenario/files.ts')
  return runScenarioFiles(files, options, output)
})
