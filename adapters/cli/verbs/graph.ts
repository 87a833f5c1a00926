// `graph`: the charts, as they are stepped.

import { Argument, Option } from 'commander'
import { EXIT } from '../exit.ts'
import { command, verb, type Verb } from '../verb.ts'
import type { ChartName, GraphFormat } from '../../graph.ts'

const words = command('graph', 'Print the chart of a turn or of a call', 'graph call --format mermaid')
  .addArgument(new Argument('[chart]', 'turn or call').choices(['turn', 'call']).default('turn'))
  .addOption(new Option('--format <format>', 'how').choices(['mermaid', 'json']).default('mermaid'))

export const graph: Verb = verb<{ readonly format: GraphFormat }>(words, async ({ words: [chart = 'turn'], flags, out }) => {
  const { graphOf } = await import('../../graph.ts')
  await out.raw(graphOf(chart as ChartName, out.json ? 'json' : flags.format))
  return EXIT.done
})
