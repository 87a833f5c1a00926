// Pieces of calls in a stream, put together to calls. Servers number them, name them, do both, neither, or give all of them one number;
// a piece is added to a call only where no other one can be meant, so that two calls are never glued to one.

import type { JsonObject } from '../../../machines/json.ts'
import { protocolViolation } from '../failure.ts'
import { isObjectText, objectIn, restOf, textIn } from './wire.ts'

/** One piece, as it came. */
export type CallPart = JsonObject

/** A call that is being told. `arguments` is null until there is a piece of them. */
type Open = { readonly place: unknown; readonly id: string | undefined; readonly name: string; arguments: string | null; rest: JsonObject }

/** More calls than any message has that could be recorded. */
const MOST_CALLS = 1_000

const PART_FIELDS: ReadonlySet<string> = new Set(['index', 'id', 'function'])

/** The calls in the order in which they began, each as a whole message would hold it. @throws ModelFailure for pieces that fit nowhere */
export function joinCalls(parts: readonly CallPart[], who: string): readonly JsonObject[] {
  const calls: Open[] = []
  for (const part of parts) add(part, calls, who)
  return calls.map(({ id, name, arguments: args, rest }) => ({
    ...rest,
    ...(id === undefined ? {} : { id }),
    function: { name, arguments: args },
  }))
}

function add(part: CallPart, calls: Open[], who: string): void {
  const told = objectIn(part, 'function') ?? {}
  const [id, name, text] = [textIn(part, 'id'), textIn(told, 'name'), told['arguments'] ?? null]
  if (text !== null && typeof text !== 'string') throw protocolViolation(`${who} gave arguments that are no text.`)
  const rest = restOf(part, PART_FIELDS)
  const call = callOf({ place: part['index'], id, name, text }, calls, who)
  if (call === undefined) {
    if (name === undefined || calls.length === MOST_CALLS) throw misfit(who)
    calls.push({ place: part['index'], id, name, arguments: text, rest })
    return
  }
  if (name !== undefined && name !== call.name) throw misfit(who)
  if (text !== null) call.arguments = (call.arguments ?? '') + text
  call.rest = { ...call.rest, ...rest }
}

type Piece = Pick<Open, 'place' | 'id'> & { readonly name: string | undefined; readonly text: string | null }

/** The call that a piece goes on with; undefined where it begins one. */
function callOf({ place, id, name, text }: Piece, calls: readonly Open[], who: string): Open | undefined {
  const there = calls.filter(call => call.place === place)
  const newest = there.at(-1)
  if (id !== undefined) {
    const same = there.find(call => call.id === id)
    if (same !== undefined && same !== newest) throw misfit(who)
    // An id that comes late may be that of the call before, which is not whole yet, or that of another one.
    if (same === undefined && newest !== undefined && newest.id === undefined && !isObjectText(newest.arguments ?? '')) throw misfit(who)
    return same
  }
  // Nothing is missing from the newest, and the piece has a name and a whole object of its own.
  if (name !== undefined && isObjectText(newest?.arguments ?? '') && isObjectText(text ?? '')) return undefined
  // Several calls at one place: the piece can only be of the newest when nothing is missing from the others.
  if (!there.slice(0, -1).every(call => isObjectText(call.arguments ?? ''))) throw misfit(who)
  return newest
}

function misfit(who: string): Error {
  return protocolViolation(`${who} sent pieces of calls that do not fit together.`)
}
