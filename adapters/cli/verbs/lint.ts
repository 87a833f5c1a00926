// `lint transcript` and `lint tools`: what is wrong with a recorded history, or makes a model choose badly among tools.

import { Option } from 'commander'
import type { TranscriptFormat } from '../../lint/transcript/format.ts'
import { command, verb, type Verb } from '../verb.ts'

const transcript = command(
  'transcript',
  'Check that a recorded history pairs every call with its one result',
  'lint transcript history.jsonl',
)
  .argument('<file>', 'messages as JSON or as lines of JSON, one history or many')
  .addOption(
    new Option('--format <format>', 'seen from the messages where it is not given').choices(['anthropic', 'openai', 'mcp', 'toolturn']),
  )

export const lintTranscript: Verb = verb<{ readonly format?: TranscriptFormat }>(transcript, async ({ words: [file = ''], flags, out }) => {
  const { lintTranscriptFile } = await import('../../lint/command.ts')
  return lintTranscriptFile(file, flags.format, out)
})

const tools = command('tools', 'Find what makes a model choose badly among tools', 'lint tools ./tools.ts --against released.json')
  .argument('<module>', 'exports `tools`, or by default a list of tools or the options of createRuntime; or a JSON file of descriptors')
  .option('--against <catalog>', 'an earlier catalog: what `lint tools --json` or `events --json` printed; what breaks is an error')

export const lintTools: Verb = verb<{ readonly against?: string }>(tools, async ({ words: [module = ''], flags, out }) => {
  const { lintToolsModule } = await import('../../lint/command.ts')
  return lintToolsModule(module, flags.against, out)
})

export const lint = command('lint', 'Check a recorded history, or a catalog of tools', 'lint transcript history.jsonl')
  .addCommand(lintTranscript.command)
  .addCommand(lintTools.command)
