// The agent and its fourteen tools, as they were recorded: the model says what it said, the tools answer what they answered.

import { scripted } from '../../adapters/models/scripted.ts'
import type { ScriptedRound } from '../../adapters/models/script.ts'
import { tool } from '../../adapters/tool.ts'
import type { SpawnOptions } from '../../machines/runtime/api.ts'
import type { CallContext, ReplayPolicy, Tool, ToolResult } from '../../machines/tool.ts'
import { planOf } from '../kills/effects.ts'
import { ANA } from '../kills/generations.ts'
import type { Cast, Setting } from '../kills/serve.ts'
import type { Recorded, Round, Stretch } from './recorded.ts'

const POLICIES: Readonly<Record<string, ReplayPolicy>> = {
  get_user_details: 'read-only',
  get_reservation_details: 'read-only',
  search_direct_flight: 'read-only',
  search_onestop_flight: 'read-only',
  list_all_airports: 'read-only',
  calculate: 'read-only',
  think: 'read-only',
  update_reservation_flights: 'idempotent',
  update_reservation_baggages: 'idempotent',
  update_reservation_passengers: 'idempotent',
  book_reservation: 'at-most-once',
  cancel_reservation: 'at-most-once',
  send_certificate: 'at-most-once',
  transfer_to_human_agents: 'at-most-once',
}

/** The agent repeats itself and fails more often than the bounds would let it; here its course is to be kept. */
const LIMITS = { rounds: 64, repeats: 100 }

export function castOf({ system, conversations }: Recorded): (setting: Setting) => Cast {
  const stretches = new Map(conversations.flatMap(each => each.stretches.map(stretch => [stretch.plan, stretch])))
  return setting => ({
    system,
    model: recordedModel(stretches, setting),
    tools: Object.entries(POLICIES).map(([name, replayPolicy]) => recordedTool(name, replayPolicy, stretches, setting)),
  })
}

/** @param follows the turn of the stretch before */
export function spawnOf({ plan, text }: Stretch, follows: string | undefined): SpawnOptions {
  return { input: text, principal: ANA, labels: { plan }, limits: LIMITS, ...(follows === undefined ? {} : { follows }) }
}

type Stretches = ReadonlyMap<string, Stretch>

function recordedModel(stretches: Stretches, { planOf: planOfTurn, effects }: Setting): Cast['model'] {
  const { name, capabilities } = scripted([{ stop: 'end', content: [] }])
  return {
    name,
    capabilities,
    ask: async (request, context) => {
      const plan = await planOfTurn(context.turnId)
      effects.asked(plan, context.round)
      return scripted((stretches.get(plan)?.rounds ?? []).map(said)).ask(request, context)
    },
  }
}

function said({ text, calls }: Round): ScriptedRound {
  const texts = text === null ? [] : [{ text }]
  return {
    stop: calls.length > 0 ? 'tool_calls' : 'end',
    content: [...texts, ...calls.map(({ id, name, arguments: written }) => ({ call: { id, name, arguments: written } }))],
  }
}

function recordedTool(name: string, replayPolicy: ReplayPolicy, stretches: Stretches, { effects, at }: Setting): Tool {
  const answer = (call: CallContext) => answerTo(stretches.get(planOf(call)), call)
  const once = {
    reconcile: (_args: unknown, call: CallContext) => (effects.fence(call) ? { happened: answer(call) } : ('did-not-happen' as const)),
  }
  return tool({
    name,
    description: `The recorded tool ${name}.`,
    input: { type: 'object' },
    replayPolicy,
    approval: 'never',
    run: async (_args, call) => {
      effects.ran(name, call)
      await at(planOf(call), ['begun'])
      if (replayPolicy !== 'read-only' && !effects.actFenced(call)) throw new Error('This dispatch was voided.')
      await at(planOf(call), ['done'])
      return answer(call)
    },
    ...(replayPolicy === 'at-most-once' ? once : {}),
  })
}

/** Ordinals count the calls of a stretch from 1, as the recording does. */
function answerTo(stretch: Stretch | undefined, { ordinal }: CallContext): ToolResult {
  const text = stretch?.rounds.flatMap(round => round.calls)[ordinal - 1]?.result ?? ''
  return { content: [{ type: 'text', text }], ...(text.startsWith('Error') ? { isError: true } : {}) }
}
