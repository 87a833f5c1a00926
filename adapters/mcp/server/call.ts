// A `tools/call`, from the request to its answer: each opens a turn of its own, so that all of the contract stands around it. A turn
// that rests with a question gives the question back; the retry with the answer goes on with that turn, and with no other.

import { inputRequired, type CallToolResult, type InputRequiredResult } from '@modelcontextprotocol/server'
import type { Event } from '../../../machines/events.ts'
import { ToolturnError } from '../../../machines/errors.ts'
import type { ApprovalRow } from '../../../machines/ports/rows.ts'
import type { TurnResult } from '../../../machines/runtime/api.ts'
import { readText } from '../../../machines/runtime/door.ts'
import { systemRandom } from '../../clock.ts'
import { partyName, type Caller } from './caller.ts'
import type { Errand } from './caller-model.ts'
import { decide, openedState } from './decision.ts'
import type { House } from './house.ts'
import { answerFor, resultInMessages, saidByHost } from './outcome.ts'
import { kindOf, mayDecide, questionsFor, waitingText } from './question.ts'
import { tellStages } from './stages.ts'

/** One request, free of its protocol. */
export type Asked = {
  readonly caller: Caller
  readonly name: string
  /** The text of the arguments as it came; null where none came. */
  readonly text: string | null
  /** Digest of name and arguments: the call that a state is good for. */
  readonly call: string
  /** The client's own name for this call: a second one under it is the same call. */
  readonly key: string | undefined
  readonly state: string | undefined
  readonly responses: { readonly [name: string]: unknown } | undefined
  /** False: nobody can be asked over this line. */
  readonly asks: boolean
  readonly signal: AbortSignal
  /** Told of each event of the turn, where the client wants to know how far it is. */
  readonly onEvent: ((event: Event) => Promise<void>) | null
}

/** A turn of this call, and whether its question may be put to the person again. */
export type Begun = { readonly turnId: string; readonly mayAsk: boolean }

/** @throws ToolturnError, ProtocolError */
export async function callTool(house: House, asked: Asked): Promise<CallToolResult | InputRequiredResult> {
  const state = asked.state === undefined ? null : await openedState(house, asked, asked.state)
  const errand: Errand =
    state === null
      ? { text: errandText(house, asked), call: { name: asked.name, arguments: asked.text }, shown: null }
      : { text: state.errand, call: null, shown: null }
  house.desk.lay(errand)
  try {
    const begun = state === null ? await begin(house, asked, errand) : await decide(house, asked, state)
    return 'refusal' in begun ? begun.refusal : await answered(house, asked, errand, begun)
  } finally {
    house.desk.takeUp(errand)
  }
}

/** What the turn's input says: a name by which its call is found, at random, or always the same under a key of the client. */
function errandText({ seal }: House, { caller, key, name, text }: Asked): string {
  const id =
    key === undefined ? Buffer.from(systemRandom.bytes(32)).toString('base64url') : seal.nameOf([partyName(caller), key, name, text ?? ''])
  return `A call over MCP: ${id}`
}

const MOST_KEY_CHARACTERS = 256

async function begin(house: House, asked: Asked, errand: Errand): Promise<Begun> {
  const { runtime, offered, seal } = house
  const { caller, name, key, signal } = asked
  const { principal, tenant, contentTrust } = caller
  const names = offered()
  const turn = await runtime.spawn({
    input: [{ role: 'user', text: errand.text, contentTrust }],
    principal,
    tenant,
    labels: { mcp: errand.text },
    // A turn of one call offers one tool; where there is none of the name, all, since they are what is told of.
    tools: names.includes(name) ? [name] : names,
    signal,
    // Nobody finds the calls of another party by guessing its keys.
    ...(key === undefined ? {} : { key: `mcp:${seal.nameOf([partyName(caller), readText('_meta key', key, MOST_KEY_CHARACTERS)])}` }),
  })
  if (turn.existing) await again(house, turn.id, caller)
  return { turnId: turn.id, mayAsk: true }
}

/** A call that was lost before it began is begun by whoever sends it again under its key. */
async function again({ runtime }: House, turnId: string, { principal, tenant }: Caller): Promise<void> {
  const { row, calls } = await runtime.show(turnId, { tenant })
  if (principal === null || row.state !== 'failed' || row.code !== 'model_unavailable' || calls.length > 0) return
  await runtime.retry(turnId, { as: principal, via: 'mcp', tenant }).catch((error: unknown) => {
    // Somebody else sent it again, and was first.
    if (!(error instanceof ToolturnError && error.code === 'turn_not_retryable')) throw error
  })
}

const MOST_LOOKS = 10

/** Waits until the turn is over or asks somebody. What was asked may be answered elsewhere before it is looked at: it is waited again. */
async function answered(house: House, asked: Asked, errand: Errand, begun: Begun): Promise<CallToolResult | InputRequiredResult> {
  const { runtime, tools } = house
  const { tenant } = asked.caller
  const { turnId } = begun
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    const turn = await untilRest(house, asked, turnId)
    if (turn.state !== 'holding' && turn.state !== 'asking') {
      const shown = errand.shown ?? resultInMessages(await runtime.messages(turnId, { tenant }))
      return answerFor(turn, shown, tools.get(asked.name)?.descriptor)
    }
    const { approvals } = await runtime.approvals({ tenant, labels: { mcp: errand.text }, limit: 1 })
    const [row] = approvals
    if (row !== undefined) return begun.mayAsk ? ask(house, asked, errand, row) : waiting(row)
  }
  throw new ToolturnError('internal', 'A turn rests with a question that is not there.', { turnId })
}

function ask(house: House, { caller, asks, call }: Asked, errand: Errand, row: ApprovalRow): CallToolResult | InputRequiredResult {
  const inputRequests = asks && mayDecide(row, caller) ? questionsFor(row, house.tools.get(row.tool)?.descriptor.outputSchema) : null
  if (inputRequests === null) return waiting(row)
  const { turnId, approvalId, expiresAt } = row
  const asked = { turnId, approvalId, kind: kindOf(row), names: Object.keys(inputRequests), errand: errand.text, call }
  const requestState = house.seal.seal({ ...asked, party: partyName(caller), until: expiresAt + LATE_MS })
  return inputRequired({ inputRequests, requestState })
}

/** So long after its question is over, a state still tells what became of the call; then it is refused. */
const LATE_MS = 86_400_000

function waiting(row: ApprovalRow): CallToolResult {
  const { turnId, approvalId } = row
  return { ...saidByHost(waitingText(row)), _meta: { 'toolturn/turn': turnId, 'toolturn/approval': approvalId } }
}

/** Who gives up on a call cancels it: the running tool is aborted, and its record or its doubt comes first (G4). */
async function untilRest(house: House, asked: Asked, turnId: string): Promise<TurnResult> {
  const { runtime, closing, log } = house
  const { caller, signal, onEvent } = asked
  const { tenant } = caller
  const stages = onEvent === null ? null : tellStages(stop => runtime.events(turnId, { signal: stop }), onEvent)
  try {
    const turn = await runtime.result(turnId, { tenant, signal })
    await stages?.until(turn.version)
    return turn
  } catch (error) {
    if (signal.aborted && !closing()) {
      const as = caller.principal ?? { issuer: 'toolturn:mcp', id: runtime.name, kind: 'service' }
      await runtime
        .cancel(turnId, { as, via: 'mcp', tenant })
        .catch(() => log.info('a call was over before it could be cancelled', { turnId }))
    }
    throw error
  } finally {
    stages?.stop()
  }
}
