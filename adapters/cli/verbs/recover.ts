// `recover`: claims what has no living owner and drives it, once; or one turn, also when it is parked.

import { requireConfig, withConfig, type ConfigFlags } from '../config.ts'
import { toRest, type Shown } from '../drive.ts'
import { EXIT, reportOf } from '../exit.ts'
import { withRuntime, type Opened } from '../open.ts'
import type { Output } from '../output.ts'
import { command, verb, type Verb } from '../verb.ts'
import { withWhere, type WhereFlags } from '../where.ts'

type Flags = WhereFlags & ConfigFlags

const words = command('recover', 'Drive turns whose worker died, once', 'recover --config app.js').argument(
  '[turn]',
  'only this one, also when it is parked',
)

export const recover: Verb = verb<Flags>(withConfig(withWhere(words)), async ({ words: [turnId], flags, out }) => {
  requireConfig(flags, 'recover')
  return withRuntime(flags, turnId === undefined ? 'due' : 'one', out, async opened => {
    const driven = turnId === undefined ? await recoverDue(opened, out) : [recoveredOf(await toRest(opened, turnId, out))]
    await out.table(
      { driven },
      ['TURN', 'STATE', 'CODE'],
      driven.map(turn => [turn.turnId, turn.state ?? '-', turn.code ?? '-']),
    )
    return driven.some(({ state }) => state === null || state === 'failed') ? EXIT.failed : EXIT.done
  })
})

/** State null: it could not be driven, for the reason that `code` says. */
type Recovered = { readonly turnId: string; readonly state: string | null; readonly code: string | null }

function recoveredOf({ turnId, state, code }: Shown): Recovered {
  return { turnId, state, code }
}

/** Claims until there is nothing more that is due. One turn that cannot be driven keeps no other from it. */
async function recoverDue(opened: Opened, out: Output): Promise<readonly Recovered[]> {
  const { runtime, claims } = opened
  const driven = new Map<string, Recovered>()
  for (;;) {
    await runtime.recover()
    const fresh = [...claims.turnIds].filter(turnId => !driven.has(turnId))
    if (fresh.length === 0 && claims.underWay === 0) return [...driven.values()]
    for (const turnId of fresh) driven.set(turnId, await recoverOne(opened, turnId, out))
    out.progress(`${driven.size} turns`)
  }
}

/** Claims go by the runtime's name, so the turn may be of any tenant. */
async function recoverOne(opened: Opened, turnId: string, out: Output): Promise<Recovered> {
  try {
    const { tenant } = await opened.runtime.get(turnId)
    return recoveredOf(await toRest({ ...opened, tenant }, turnId, out))
  } catch (error) {
    const { code, exit } = reportOf(error)
    if (exit === EXIT.unreachable) throw error
    return { turnId, state: null, code }
  }
}
