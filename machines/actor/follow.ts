// The decisions that follow at once from a state, put behind the facts of one append, until the world has to be asked.

import { cancelled, beforeRound, conclude, dispatchFact, exhaust } from '../decide.ts'
import { askPerson } from '../clarification.ts'
import { judgeAgain } from '../dispatch.ts'
import { pending, type Effect } from '../effects.ts'
import type { GateHost } from '../gates/gate.ts'
import type { CallState, TurnState } from '../state.ts'
import { workedSoFar, type Actor } from './actor.ts'
import type { Composer } from './commit.ts'
import { inquiredOf } from './inquire.ts'
import { offeredTool } from './tools.ts'
import { wholeArguments } from './wholes.ts'

/** Whether decisions go on behind this one, and whether the loop has to perform something first. */
type Followed = 'go-on' | 'perform'

/**
 * Puts the decisions that follow into the draft.
 *
 * @param fresh calls that were judged for this very draft, and need not be judged again before they start
 */
export async function follow(actor: Actor, draft: Composer, fresh: Set<number>): Promise<void> {
  while ((await followOnce(actor, draft, fresh)) === 'go-on');
}

async function followOnce(actor: Actor, draft: Composer, fresh: Set<number>): Promise<Followed> {
  const state = draft.state()
  const effect = pending(state)
  if (actor.lost.size > 0 && beginsAnew(effect)) return 'perform'
  switch (effect.kind) {
    case 'conclude':
      draft.put(...conclude(state))
      return 'perform'
    case 'ask-model':
      return stopBeforeRound(actor, draft)
    case 'ask-person':
      return askNext(actor, draft, effect.call)
    case 'judge':
      return judgeNext(actor, draft, effect.call, fresh)
    case 'dispatch':
      return dispatchNext(actor, draft, effect, fresh)
    case 'cancel':
      draft.put(...cancelled(state))
      return 'perform'
    case 'ask-expired':
      draft.put(...exhaust(state, 'clarificationLifetimeMs'))
      return 'perform'
    case 'settle':
    case 'round-in-doubt':
    case 'await-approval':
    case 'await-answer':
    case 'none':
      return 'perform'
  }
}

/** True for what comes only after records that are none to this owner were made good (D9). */
export function beginsAnew({ kind }: Effect): boolean {
  return kind === 'ask-model' || kind === 'dispatch' || kind === 'judge' || kind === 'ask-person'
}

function stopBeforeRound(actor: Actor, draft: Composer): Followed {
  const { model } = actor.ports
  if (model !== null) draft.put(...(beforeRound(draft.state(), model.capabilities, workedSoFar(actor)) ?? []))
  return 'perform'
}

function askNext(actor: Actor, draft: Composer, call: CallState): Followed {
  if (outOfTime(actor, draft.state())) return exhaustTime(draft)
  draft.put(askPerson(draft.state(), call, actor.ports.store.time()))
  return 'perform'
}

async function judgeNext(actor: Actor, draft: Composer, call: CallState, fresh: Set<number>): Promise<Followed> {
  const readiness = await readinessOf(actor, draft.state(), call)
  if (!readiness.ready) draft.put(readiness.fact)
  fresh.add(call.ordinal)
  return 'go-on'
}

/**
 * Commits the intents of the calls that may start. The intent of an at-most-once call is an append of its own, right before the
 * start, so that doubt stays rare (D2).
 */
async function dispatchNext(
  actor: Actor,
  draft: Composer,
  effect: Extract<Effect, { kind: 'dispatch' }>,
  fresh: ReadonlySet<number>,
): Promise<Followed> {
  const state = draft.state()
  if (actor.control.draining()) return 'perform'
  if (outOfTime(actor, state)) return exhaustTime(draft)
  const alone = effect.calls.some(call => state.catalog.get(call.item.name)?.replayPolicy === 'at-most-once')
  if (alone && !draft.isEmpty()) return 'perform'
  for (const call of effect.calls) {
    if (!fresh.has(call.ordinal) || offeredTool(actor, state, call) === null) {
      const readiness = await readinessOf(actor, draft.state(), call)
      if (!readiness.ready) {
        draft.put(readiness.fact)
        return 'go-on'
      }
    }
    const tool = offeredTool(actor, state, call)
    // It went while it was judged: the next look refuses it.
    if (tool === null) return 'go-on'
    actor.judged.set(call.ordinal, tool)
    draft.put(dispatchFact(draft.state(), call))
  }
  return 'perform'
}

async function readinessOf(actor: Actor, state: TurnState, call: CallState): ReturnType<typeof judgeAgain> {
  const whole = inquiredOf(actor, call) === null ? null : await wholeArguments(actor, call)
  return judgeAgain(call, state, whole, gateHost(actor), actor.ports.store.time())
}

export function outOfTime(actor: Actor, state: TurnState): boolean {
  return workedSoFar(actor) >= state.opened.limits.turnTimeoutMs
}

function exhaustTime(draft: Composer): Followed {
  draft.put(...exhaust(draft.state(), 'turnTimeoutMs'))
  return 'perform'
}

/** The host's side of the gates, from the actor's ports. */
export function gateHost(actor: Actor): GateHost {
  const { tools, policy, redactor, sealer } = actor.ports
  return { tools, policy, redactor, canSeal: sealer !== null, turnKey: actor.turnKey }
}
