// `demo`: the main job from start to end, on the embedded default.

import { runDemo } from '../../demo/demo.ts'
import { EXIT } from '../exit.ts'
import { command, verb, type Verb } from '../verb.ts'
import { withWhere, type WhereFlags } from '../where.ts'

type Flags = WhereFlags & { readonly yes?: boolean }

const words = withWhere(command('demo', 'See a turn held, approved, killed in mid-tool, recovered and replayed', 'demo --yes'))
  .option('--yes', 'ask nothing: the acting person is taken to agree')
  .option('--json', 'print the facts as one JSON object')

export const demo: Verb = verb<Flags>(words, async ({ flags, out }) => {
  const facts = await runDemo({ where: flags, yes: flags.yes === true }, out)
  if (out.json) await out.answer(facts, () => '')
  return facts.state === 'completed' && facts.replay.same && facts.verified ? EXIT.done : EXIT.failed
})
