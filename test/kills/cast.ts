// Who plays in these tests: one tool of each kind, and a model that says what the input of its turn tells it to say.

import { setTimeout as sleep } from 'node:timers/promises'
import { scripted } from '../../adapters/models/scripted.ts'
import type { ScriptedRound } from '../../adapters/models/script.ts'
import { tool } from '../../adapters/tool.ts'
import type { Model, ModelRequest } from '../../machines/ports/model.ts'
import type { CallContext, ReplayPolicy, Tool } from '../../machines/tool.ts'
import { planOf, type Effects } from './effects.ts'
import type { Cast, Setting } from './serve.ts'

/** The tool of each kind. */
export const TOOL_OF = {
  'read-only': 'look',
  'idempotent': 'put',
  'at-most-once': 'pay',
  'at-most-once with a fence': 'pay_fenced',
} as const

export type Kind = keyof typeof TOOL_OF
export const KINDS = Object.keys(TOOL_OF) as readonly Kind[]

/** The input of a turn: which plan it belongs to, and what its model says. */
export type Script = { readonly plan: string; readonly rounds: readonly ScriptedRound[] }

export function castOf({ effects, at }: Setting): Cast {
  const play = (name: string, replayPolicy: ReplayPolicy, deed: (call: CallContext) => void, reconcile?: Tool['reconcile']) =>
    tool({
      name,
      description: 'Does what the plan says.',
      input: { type: 'object', properties: { asks: { type: 'boolean' }, ms: { type: 'integer' } }, additionalProperties: false },
      replayPolicy,
      contentTrust: 'trusted',
      approval: ({ asks }) => (asks === true ? 'always' : 'never'),
      run: async ({ ms = 0 }, call) => {
        effects.ran(name, call)
        await at(planOf(call), ['begun'])
        await sleep(ms)
        deed(call)
        await at(planOf(call), ['done'])
        await sleep(ms)
        return doneBy(call)
      },
      ...(reconcile === undefined ? {} : { reconcile }),
    })
  return {
    model: playedModel(effects),
    tools: [
      play(TOOL_OF['read-only'], 'read-only', () => undefined),
      play(TOOL_OF['idempotent'], 'idempotent', effects.actOnce),
      play(TOOL_OF['at-most-once'], 'at-most-once', effects.act),
      play(TOOL_OF['at-most-once with a fence'], 'at-most-once', actUnlessVoided(effects), async (_args, call) => {
        const happened = effects.fence(call)
        await at(planOf(call), ['fenced'])
        return happened ? { happened: doneBy(call) } : 'did-not-happen'
      }),
    ],
  }
}

/** The same whoever did it, so that it does not matter to the model which dispatch it was. */
function doneBy({ invocationId }: CallContext): string {
  return `done: ${invocationId}`
}

function actUnlessVoided({ actFenced }: Effects) {
  return (call: CallContext): void => {
    if (!actFenced(call)) throw new Error('This dispatch was voided.')
  }
}

function playedModel({ asked }: Effects): Model {
  const { name, capabilities } = scripted([{ stop: 'end', content: [] }])
  return {
    name,
    capabilities,
    ask: (request, context) => {
      const { plan, rounds } = scriptIn(request)
      asked(plan, context.round)
      return scripted(rounds).ask(request, context)
    },
  }
}

function scriptIn({ messages }: ModelRequest): Script {
  const first = messages.find(message => message.role === 'user')
  return JSON.parse(first?.role === 'user' ? first.text : '') as Script
}
