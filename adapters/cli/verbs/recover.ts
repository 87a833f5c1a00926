// `recover`: claims what has no living owner and drives it, once; or one turn, also when it is parked.

import { requireConfig, withConfig, type ConfigFlags } from '../config.ts'
import { toRest, type Shown } from '../drive.ts'
import { EXIT } from '../exit.ts'
import { withRuntime, type Opened } from '../open.ts'
import type { Output } from '../output.ts'
import { command, verb, type Verb } from '../verb.ts'
import { withWhere, type WhereFlags } from '../where.ts'

type Flags = WhereFlags & ConfigFlags

const words = command('recover', 'Drive turns whose worker died, once', 'recover --config app.js')
  .argument('[turn]', 'only this one, also when it is parked')

export const recover: Verb = verb<Flags>(withConfig(withWhere(words)), async ({ words: [turnId], flags, out }) => {
  requireConfig(flags, 'recover')
  return withRuntime(flags, 'all', out, async opened => {
    const turns = turnId === undefined ? await recoverAll(opened, out) : [await toRest(opened, turnId, out)]
    await out.table({ driven: turns.map(({ turnId: id, state, code }) => ({ turnId: id, state, code })) }, HEAD, turns.map(cells))
    return turns.some(({ state }) => state === 'failed') ? EXIT.failed : EXIT.done
  })
})

async function recoverAll({ runtime }: Opened, out: Output): Promise<readonly Shown[]> {
  out.progress('recovering')
  const { driven } = await runtime.recover()
  const turns: Shown[] = []
  for (const id of driven) turns.push(await runtime.show(id, {}))
  out.progress('')
  return turns
}

const HEAD = ['TURN', 'STATE', 'CODE', 'ATTEMPT', 'VERSION']

function cells({ turnId, state, code, attempt, version }: Shown): string[] {
  return [turnId, state, code ?? '-', String(attempt), String(version)]
}
