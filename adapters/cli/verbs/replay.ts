// `replay`: drives a turn again on its records; nothing is executed (D8). Tells whether the code of today would do the same.

import type { ReplayResult } from '../../../machines/runtime/api.ts'
import { withConfig, type ConfigFlags } from '../config.ts'
import { EXIT } from '../exit.ts'
import { withRuntime } from '../open.ts'
import { fromOne, given } from '../reading.ts'
import { factOf, facts } from '../text.ts'
import { command, verb, type Verb } from '../verb.ts'
import { withWhere, type WhereFlags } from '../where.ts'

type Flags = WhereFlags & ConfigFlags & { readonly attempt?: number; readonly at?: number }

const words = command('replay', 'Drive a turn again on its records; executes nothing', 'replay 0190a0b0-0000-7000-8000-000000000000 --json')
  .argument('<turn>', 'its id')
  .option('--attempt <n>', 'an earlier attempt (default: the last)', fromOne)
  .option('--at <version>', 'only fold up to this version, and print what the turn was then', fromOne)

export const replay: Verb = verb<Flags>(withConfig(withWhere(words)), async ({ words: [turnId = ''], flags, out }) =>
  withRuntime(flags, 'nothing', out, async ({ runtime, tenant }) => {
    const { attempt, at } = flags
    const result = await runtime.replay(turnId, { tenant, ...given({ attempt, at }) })
    await out.answer(result, () => replayText(result))
    const differs = at === undefined ? !result.same : result.divergence !== null || result.missing !== null
    return differs ? EXIT.failed : EXIT.done
  }),
)

function replayText({ turnId, attempt, state, code, executions, modelCalls, same, divergence, missing, messages }: ReplayResult): string {
  return facts([
    factOf('turn', turnId),
    factOf('attempt', attempt),
    factOf('state', code === null ? state : `${state}, ${code}`),
    factOf('executions', executions),
    factOf('model calls', modelCalls),
    factOf('same', same ? 'yes' : 'no'),
    factOf('divergence', divergence === null ? 'none' : divergenceText(divergence)),
    ...(missing === null ? [] : [factOf('missing', missingText(missing))]),
    factOf('messages', messages),
  ])
}

function divergenceText({ version, round, recorded, current }: NonNullable<ReplayResult['divergence']>): string {
  return `at version ${version}, round ${round}: ${recorded} was recorded, ${current} would be asked now`
}

function missingText({ version, ordinal }: NonNullable<ReplayResult['missing']>): string {
  return `the record at version ${version}${ordinal === null ? '' : ` of call ${ordinal}`}`
}
