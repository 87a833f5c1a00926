// What an acting verb does after it acted: on a store of its own it drives the turn until it ends or a person is awaited.

import { setTimeout as sleep } from 'node:timers/promises'
import { errorName } from '../../machines/errors.ts'
import type { Json } from '../../machines/json.ts'
import type { TurnRow, TurnStateName } from '../../machines/ports/rows.ts'
import type { Runtime, TurnResult } from '../../machines/runtime/api.ts'
import type { ConfigFlags } from './config.ts'
import { eventWords } from './event-words.ts'
import { EXIT, type ExitCode } from './exit.ts'
import { withRuntime, type Opened } from './open.ts'
import type { Output } from './output.ts'
import { factOf, facts, indent, safeText } from './text.ts'
import type { WhereFlags } from './where.ts'

export type Shown = TurnResult & { readonly row: TurnRow }

const AT_REST: readonly TurnStateName[] = ['holding', 'asking', 'completed', 'refused', 'exhausted', 'cancelled', 'failed']
const LOOK_AGAIN_MS = 100
/** Looks without news after which a turn that nobody owns is left as it is. */
const MOST_LOOKS = 10
/** The same for one with an owner: where no other process can be, that one is dead, and its lease is over within 15 seconds. */
const MOST_LOOKS_AT_OWNED = 200

/**
 * Does what a verb is for, and then drives the turn to rest where this process drives at all.
 *
 * @param act does it, and says which turn it was done to and what else is worth printing
 * @returns 0: it was done, whatever becomes of the turn
 */
export function acting(flags: WhereFlags & ConfigFlags, out: Output, act: (opened: Opened) => Promise<Did>): Promise<ExitCode> {
  return withRuntime(flags, 'own', out, async opened => {
    const did = await act(opened)
    await printTurn(await toRest(opened, did.turnId, out), out, did)
    return EXIT.done
  })
}

type Did = { readonly turnId: string; readonly [fact: string]: Json }

/** @returns the turn at rest; as it is where others drive it, or where nobody can without a configuration */
export async function toRest(opened: Opened, turnId: string, out: Output): Promise<Shown> {
  const { runtime, tenant, drives, alone } = opened
  if (!drives) {
    const shown = await runtime.show(turnId, { tenant })
    if (alone && !AT_REST.includes(shown.state)) out.note('Nothing drives this turn on; do it with `recover` and --config.')
    return shown
  }
  const enough = new AbortController()
  const told = out.watched ? tell(runtime, turnId, tenant, out, enough.signal) : null
  try {
    return await driven(opened, turnId, out)
  } finally {
    enough.abort()
    await told
    out.progress('')
  }
}

/** A turn that nobody here may claim stays as it is: it was opened under another name, or offers tools that are not here. */
async function driven({ runtime, tenant, alone }: Opened, turnId: string, out: Output): Promise<Shown> {
  let shown = await runtime.show(turnId, { tenant })
  for (let looks = 0; looks < (alone && shown.row.owner !== null ? MOST_LOOKS_AT_OWNED : MOST_LOOKS); looks += 1) {
    await runtime.recover(turnId)
    const next = await runtime.show(turnId, { tenant })
    if (AT_REST.includes(next.state)) return next
    if (next.version > shown.version) looks = 0
    else await sleep(LOOK_AGAIN_MS)
    shown = next
  }
  out.note(
    'The turn was not driven to rest here: it belongs to a runtime of another name, offers tools that are not configured, or is owned.',
  )
  return shown
}

/** Says what the turn is doing. What keeps it from reading keeps the driving from it too, and is told by that. */
async function tell(runtime: Runtime, turnId: string, tenant: string, out: Output, signal: AbortSignal): Promise<void> {
  try {
    const turn = await runtime.get(turnId, { tenant })
    for await (const event of turn.events({ signal })) out.progress(`${event.type}  ${eventWords(event)}`)
  } catch (error) {
    out.progress(errorName(error))
  }
}

/** Prints what became of a turn, behind what was done to it. @returns 1 when it failed */
export async function printTurn(shown: Shown, out: Output, did: { readonly [fact: string]: Json } = {}): Promise<ExitCode> {
  const { row, ...result } = shown
  await out.answer({ ...did, ...result, tenant: row.tenant }, () => turnText(shown, did))
  return shown.state === 'failed' ? EXIT.failed : EXIT.done
}

function turnText({ turnId, state, code, limit, output, calls }: Shown, did: { readonly [fact: string]: Json }): string {
  const waiting = calls.filter(call => call.approvalId !== null && call.state === 'held')
  const rows = [
    factOf('turn', turnId),
    ...Object.entries(did)
      .filter(([name, value]) => name !== 'turnId' && value !== false)
      .map(([name, value]) => factOf(name, value)),
    factOf('state', [state, code, limit].filter(word => word !== null).join(', ')),
    ...waiting.map(({ approvalId, tool }) => factOf('approval', `${approvalId}  ${tool}`)),
  ]
  const text = facts(rows)
  return output === null ? text : `${text}\n\n${indent(safeText(output.text), 2)}`
}
