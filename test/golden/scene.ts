// What a script acts on: the tools, the model and the people it was told of, the turn on its stage, and the trace of all that
// happened: every event, and every effect that was performed.

import { tool } from '../../adapters/tool.ts'
import { scriptedModel } from '../../adapters/models/scripted.ts'
import type { ScriptedRound } from '../../adapters/models/script.ts'
import type { ProviderTool } from '../../machines/events/turn.ts'
import { parseEvent } from '../../machines/fold.ts'
import type { JsonObject } from '../../machines/json.ts'
import type { Model } from '../../machines/ports/model.ts'
import type { Append } from '../../machines/ports/store.ts'
import type { PolicyDecision } from '../../machines/ports/world.ts'
import type { SpawnOptions } from '../../machines/runtime/api.ts'
import type { CallContext, Reconciled, Tool } from '../../machines/tool.ts'
import { openStage, type Stage } from '../stage/stage.ts'
import { eventLine } from './trace.ts'

/** What the k-th run of a tool does. The last one repeats. */
export type Behaviour = (args: JsonObject, call: CallContext, scene: Scene) => unknown

export type ScriptTool = {
  readonly policy: Tool['descriptor']['replayPolicy']
  readonly trust: Tool['descriptor']['contentTrust']
  readonly options: { readonly approval?: 'never' | 'when-untrusted' | 'always'; readonly tries?: number; readonly recordBytes?: number }
  readonly behaviours: Behaviour[]
  reconciles: Reconciled | null
  runs: number
}

export type Scene = {
  readonly tools: Map<string, ScriptTool>
  readonly rounds: ScriptedRound[]
  readonly limits: Record<string, number>
  readonly policy: Map<string, PolicyDecision>
  readonly providerTools: ProviderTool[]
  /** Runs that timed out and have not come to an end yet. */
  readonly late: (() => void)[]
  stage: Stage | null
  /** Lines since the last command. */
  trace: string[]
}

export function createScene(): Scene {
  return { tools: new Map(), rounds: [], limits: {}, policy: new Map(), providerTools: [], late: [], stage: null, trace: [] }
}

export function stageOf(scene: Scene): Stage {
  if (scene.stage === null) throw new Error('nothing was spawned yet')
  return scene.stage
}

/** Opens the turn with what the script has set up. */
export async function spawnTurn(scene: Scene, spawn: SpawnOptions): Promise<void> {
  scene.stage = await openStage(
    {
      model: tracedModel(scene),
      tools: [...scene.tools].map(([name, script]) => tracedTool(scene, name, script)),
      policy: call => scene.policy.get(call.tool) ?? 'allow',
      limits: scene.limits,
      providerTools: scene.providerTools,
      onAppended: append => appended(scene, append),
    },
    spawn,
  )
}

function appended(scene: Scene, { epoch, events, release }: Pick<Append, 'epoch' | 'events' | 'release'>): void {
  scene.trace.push(`append${epoch === null ? '' : ` in epoch ${epoch}`}${release === true ? ', and let go' : ''}`)
  for (const stored of events) scene.trace.push(eventLine(parseEvent(stored)))
}

function tracedModel(scene: Scene): Model {
  const model = scriptedModel(scene.rounds, {}, { asked: () => undefined, failed: () => undefined, failures: () => 0 })
  return {
    ...model,
    ask: (request, context) => {
      const { round, try: number } = context
      const { messages } = request
      const last = messages.at(-1)
      const results = last?.role === 'tool' ? last.results.map(({ id, outcome }) => ` ${id} ${outcome}`).join(',') : ''
      const told = results === '' ? '' : `, results${results}`
      scene.trace.push(`ask the model for round ${round}, try ${number}: ${messages.length} messages${told}`)
      return model.ask(request, context)
    },
  }
}

function tracedTool(scene: Scene, name: string, script: ScriptTool): Tool {
  const { policy, trust, options, behaviours } = script
  return tool({
    ...options,
    name,
    description: `The tool ${name}.`,
    input: { type: 'object' },
    replayPolicy: policy,
    contentTrust: trust,
    run: (args: JsonObject, call: CallContext) => {
      const behaviour = behaviours[Math.min(script.runs, behaviours.length - 1)]
      script.runs += 1
      scene.trace.push(`run call ${call.ordinal} ${name} ${JSON.stringify(args)}, dispatch ${call.dispatch}, try ${call.try}`)
      return behaviour === undefined ? 'done' : behaviour(args, call, scene)
    },
    ...(script.reconciles === null
      ? {}
      : {
          reconcile: (_args: JsonObject, call: CallContext) => {
            scene.trace.push(`reconcile call ${call.ordinal} ${name}, dispatch ${call.dispatch}`)
            return script.reconciles ?? 'unknown'
          },
        }),
  })
}
