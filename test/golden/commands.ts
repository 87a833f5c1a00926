// The commands of script files, one handler each.

import type { ScriptedContent } from '../../adapters/models/script.ts'
import { refresh } from '../../machines/actor/commit.ts'
import { pending } from '../../machines/effects.ts'
import { ToolturnError } from '../../machines/errors.ts'
import { inquire } from '../../machines/inquiry.ts'
import type { Json } from '../../machines/json.ts'
import { DEFAULT_LIMITS } from '../../machines/limits.ts'
import type { PolicyDecision } from '../../machines/ports/world.ts'
import { cancelTurn, retryTurn, settleCall } from '../../machines/runtime/lifecycle.ts'
import { answerTurn, resolveHold } from '../../machines/runtime/resolve.ts'
import { callStateName, stateName } from '../../machines/state.ts'
import type { Via } from '../../machines/principal.ts'
import { modelRequest } from '../../machines/transcript.ts'
import { type Behaviour, type Scene, spawnTurn, stageOf, type ScriptTool } from './scene.ts'

const WHICH = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }

/** Turns of the event loop in which whatever was resolved has run. */
const TICKS = 20

type Command = (scene: Scene, words: readonly string[]) => Promise<void> | void

const COMMANDS: { readonly [name: string]: Command } = {
  // tool pay at-most-once trusted [approval=always] [tries=2] [recordBytes=100]
  tool: (scene, [name = '', policy, trust = 'untrusted', ...options]) => {
    scene.tools.set(name, {
      policy: policy as ScriptTool['policy'],
      trust: trust as ScriptTool['trust'],
      options: Object.fromEntries(options.map(readOption)),
      behaviours: [],
      reconciles: null,
      runs: 0,
    })
  },
  // provider web_search at-most-once: what the provider may execute inside a round
  provider: (scene, [name = '', policy]) => void scene.providerTools.push({ name, replayPolicy: policy as ScriptTool['policy'] }),
  // run pay returns paid | run pay repeats x | run pay throws no answer | run pay is cancelled | run pay times out | run pay dies |
  // run pay wants state-1: asks the person which one
  run: (scene, [name = '', does = '', ...rest]) => void toolOf(scene, name).behaviours.push(behaviour(does, rest.join(' '))),
  // reconcile pay happened paid | reconcile pay did-not-happen | reconcile pay unknown
  reconcile: (scene, [name = '', word, ...rest]) => {
    toolOf(scene, name).reconciles = word === 'happened' ? { happened: rest.join(' ') } : (word as 'did-not-happen' | 'unknown')
  },
  // limit rounds=2
  limit: (scene, options) => void Object.assign(scene.limits, Object.fromEntries(options.map(readOption))),
  // policy pay ask
  policy: (scene, [name = '', decision]) => void scene.policy.set(name, decision as PolicyDecision),
  // model tool_calls look {"n":1} & pay {} | model end All done. | model refusal No. | model fail 529
  model: (scene, [stop = '', ...rest]) => {
    if (stop === 'fail') scene.rounds.push({ fail: { kind: 'http', status: Number(rest[0]) } })
    else scene.rounds.push({ stop, content: contentOf(scene, rest) })
  },
  // spawn ana Pay the invoice. | spawn nobody Pay the invoice.
  spawn: (scene, [whom = '', ...input]) => spawnTurn(scene, { input: input.join(' '), principal: whom === 'nobody' ? null : person(whom) }),
  // drive
  drive: async scene => {
    const end = await stageOf(scene).drive()
    scene.trace.push(end === 'fenced' || end === 'lease-lost' ? 'the worker died' : end)
  },
  // die before call.recorded | die after call.dispatched: over the next such append
  die: (scene, [when, type = '']) => {
    let once = true
    stageOf(scene).decide(append => {
      const meets = once && append.events.some(event => event.type === type)
      if (meets) once = false
      if (meets && when === 'before') scene.trace.push(`die before an append of ${append.events.map(event => event.type).join(' ')}`)
      return meets ? (`dies ${when}` as 'dies before') : 'sent'
    })
  },
  // refuse call.recorded: the store does, from now on
  refuse: (scene, [type = '']) => stageOf(scene).decide(append => (append.events.some(event => event.type === type) ? 'refused' : 'sent')),
  // approve 1 as ana [via link] [{"n":2}] | deny 1 as ana [via app] [reason]
  approve: (scene, words) =>
    decide(scene, words, text => (text === '' ? { kind: 'approve' } : { kind: 'approve', arguments: JSON.parse(text) as Json })),
  deny: (scene, words) => decide(scene, words, text => (text === '' ? { kind: 'deny' } : { kind: 'deny', reason: text })),
  // tell 1 as ana {"which":{"name":"blue"}}: the answers to what a tool wants to know
  tell: (scene, words) => decide(scene, words, text => ({ kind: 'approve', answers: JSON.parse(text) as Json })),
  // answer as ana blue
  answer: (scene, [, whom = '', ...rest]) =>
    told(scene, () => answerTurn(stageOf(scene).ports, stageOf(scene).turnId, rest.join(' '), { as: person(whom), via: 'app' })),
  // cancel as ana
  cancel: (scene, [, whom = '']) => told(scene, () => cancelTurn(stageOf(scene).ports, stageOf(scene).turnId, { as: person(whom) })),
  // retry as ana [despite doubt]
  retry: (scene, [, whom = '', despite]) =>
    told(scene, () => retryTurn(stageOf(scene).ports, stageOf(scene).turnId, { as: person(whom), despiteDoubt: despite === 'despite' })),
  // settle 1 as olga happened paid | settle 1 as olga did-not-happen
  settle: (scene, [ordinal, , whom = '', word, ...rest]) => {
    const settlement = word === 'happened' ? { happened: rest.join(' ') } : ({ didNotHappen: true, workerIsDead: true } as const)
    return told(scene, () => settleCall(stageOf(scene).ports, stageOf(scene).turnId, Number(ordinal), settlement, { as: person(whom) }))
  },
  // complete: what timed out comes to its end
  complete: async scene => {
    for (const end of scene.late.splice(0)) end()
    for (let tick = 0; tick < TICKS; tick += 1) await new Promise(resolve => setImmediate(resolve))
  },
  // advance 2d
  advance: (scene, [days = '']) => stageOf(scene).ports.store.advance(Number.parseInt(days, 10) * 86_400_000),
  // show
  show: async scene => {
    const state = await stageOf(scene).state()
    const calls = [...state.calls.values()].map(call => `${call.ordinal} ${call.item.name} ${callStateName(call)}`)
    scene.trace.push(`${stateName(state)}, asks for ${pending(state).kind}, ${state.contentTrust}: ${calls.join(', ') || 'no calls'}`)
  },
  // messages: what the model would be sent now
  messages: async scene => {
    for (const message of modelRequest(await stageOf(scene).state()).messages) scene.trace.push(JSON.stringify(message))
  },
}

/** Runs the commands of one block. @returns the lines of their trace */
export async function runCommands(scene: Scene, commands: readonly string[]): Promise<readonly string[]> {
  scene.trace = []
  for (const line of commands) {
    const [name = '', ...words] = line.split(' ')
    const command = COMMANDS[name]
    if (command === undefined) throw new Error(`there is no command ${name}: ${line}`)
    await command(scene, words)
  }
  return scene.trace.length === 0 ? ['ok'] : scene.trace
}

function toolOf(scene: Scene, name: string): ScriptTool {
  const found = scene.tools.get(name)
  if (found === undefined) throw new Error(`there is no tool ${name}`)
  return found
}

function readOption(word: string): readonly [string, string | number] {
  const [name = '', value = ''] = word.split('=')
  return [name, /^\d+$/.test(value) ? Number(value) : value]
}

function person(id: string) {
  return { issuer: 'https://id.example.com', id, kind: 'person', scopes: [] } as const
}

function behaviour(does: string, text: string): Behaviour {
  switch (does) {
    case 'returns':
      return () => text
    case 'wants':
      return () => inquire({ forms: { which: { message: 'Which one?', schema: WHICH } }, state: text })
    case 'repeats':
      return () => text.repeat(1_000)
    case 'throws':
      return () => {
        throw new Error(text)
      }
    case 'is':
      return cancelledRun
    case 'times':
      return timedOutRun
    case 'dies':
      return (_args, _call, scene) => {
        stageOf(scene).crash()
        return new Promise(() => undefined)
      }
    default:
      throw new Error(`a tool cannot ${does}`)
  }
}

/** The turn is cancelled while the tool runs; the tool heeds it. */
const cancelledRun: Behaviour = async (_args, call, scene) => {
  const stage = stageOf(scene)
  await cancelTurn(stage.ports, stage.turnId, { as: person('ana') })
  const actor = stage.actor()
  if (actor !== null) await refresh(actor)
  if (call.signal.aborted) throw new Error('stopped')
  return 'not stopped'
}

/** The time of the tool passes; it comes to an end when the script says so. */
const timedOutRun: Behaviour = (_args, _call, scene) => {
  stageOf(scene).clock.jump(DEFAULT_LIMITS.toolTimeoutMs)
  return new Promise(resolve => scene.late.push(() => resolve('done after all')))
}

/** A call where the first word is a tool or begins with `@`, what the provider ran itself where it begins with `~`, else a text. */
function contentOf(scene: Scene, words: readonly string[]): readonly ScriptedContent[] {
  const parts = words.join(' ').split(' & ')
  return parts.map(part => {
    const [name = '', ...rest] = part.split(' ')
    if (name.startsWith('~')) return { providerTool: { name: name.slice(1), result: {} } }
    const called = name.startsWith('@') ? name.slice(1) : scene.tools.has(name) ? name : null
    return called === null ? { text: part } : { call: { name: called, arguments: rest.join(' ') } }
  })
}

async function decide(scene: Scene, words: readonly string[], wanted: (text: string) => Parameters<typeof resolveHold>[2]): Promise<void> {
  const [ordinal, , whom = '', ...rest] = words
  const via = rest[0] === 'via' ? (rest[1] as Via) : 'app'
  const text = (rest[0] === 'via' ? rest.slice(2) : rest).join(' ')
  const stage = stageOf(scene)
  const approval = (await stage.state()).calls.get(Number(ordinal))?.hold?.approvalId ?? 'none'
  await told(scene, () => resolveHold(stage.ports, approval, wanted(text), { as: person(whom), via }))
}

/** What came of it goes into the trace: nothing for a yes, the code of the error for a no. */
async function told(scene: Scene, act: () => Promise<unknown>): Promise<void> {
  try {
    await act()
  } catch (thrown) {
    if (!(thrown instanceof ToolturnError)) throw thrown
    scene.trace.push(`answered ${thrown.code}`)
  }
}
