// `demo`: the main job from start to end, on the embedded default.

import { EXIT } from '../exit.ts'
import { command, verb, type Verb } from '../verb.ts'

type Flags = { readonly yes?: boolean }

const words = command('demo', 'See a turn held, approved, killed in mid-tool, recovered and replayed', 'demo --yes')
  .option('--yes', 'ask nothing')

export const demo: Verb = verb<Flags>(words, async ({ flags, out }) => {
  return EXIT.done
})
