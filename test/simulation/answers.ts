// What the model of a run says: rounds of every kind, with calls that are right, wrong, unknown, repeated, cut off or written
// into a text. What it said is kept, so that what is recorded can be held against it.

import type { Event } from '../../machines/events.ts'
import type { ModelItem, ModelRequest, ModelRound, AskContext } from '../../machines/ports/model.ts'
import { ASK, KINDS } from './catalog.ts'
import type { Chance } from './chance.ts'
import type { Plan } from './plan.ts'
import { IN_TEXT, SECRET } from './stage.ts'

export type Answers = {
  readonly next: (request: ModelRequest, context: AskContext) => ModelRound
  /** What a recorded round holds that the model did not say there. */
  readonly broken: (event: Event, attempt: number) => readonly string[]
}

type Said = { readonly turnId: string; readonly attempt: number; readonly round: number; readonly items: readonly ModelItem[] }

export function answersOf(plan: Plan, chance: Chance): Answers {
  const said = new Map<string, Said>()
  return {
    next: (request, { turnId, attempt, round }) => {
      const mark = `${roundMark({ turnId, attempt })} no ${said.size}`
      const answer = drawRound(plan, chance, request, round)
      const items: ModelItem[] = [{ kind: 'text', text: mark }, ...answer.items]
      said.set(mark, { turnId, attempt, round, items })
      return request.output !== null && answer.items.length === 0 ? withOutput(answer, chance, mark) : { ...answer, items }
    },
    broken: (event, attempt) => (event.type === 'round.recorded' ? brokenRound(said, event, attempt) : []),
  }
}

function roundMark({ turnId, attempt }: Pick<AskContext, 'turnId' | 'attempt'>): string {
  return `<round of ${turnId} attempt ${attempt}>`
}

/** Output that was asked for: it fits, does not fit, or is no JSON. */
function withOutput(round: ModelRound, chance: Chance, mark: string): ModelRound {
  const text = chance.one([JSON.stringify({ answer: mark }), JSON.stringify({ answer: 7, mark }), `{ ${mark}`])
  return { ...round, items: [{ kind: 'text', text }] }
}

function brokenRound(
  said: ReadonlyMap<string, Said>,
  event: Extract<Event, { type: 'round.recorded' }>,
  attempt: number,
): readonly string[] {
  const [first] = event.data.items
  const answer = first?.kind === 'text' ? said.get(first.text) : undefined
  const calls = event.data.items.filter(item => item.kind === 'call')
  if (answer === undefined) return calls.length === 0 ? [] : ['A3: a round holds calls that the model did not make']
  const made = answer.items.filter(item => item.kind === 'call')
  const same = calls.length === made.length && calls.every((call, index) => call.name === made[index]?.name)
  return [
    (answer.turnId !== event.turnId || answer.attempt !== attempt || answer.round !== event.data.round) &&
      'D7: a round is recorded that answered another one',
    !same && 'A3: a round does not hold the calls that the model made',
  ].filter(broken => broken !== false)
}

function drawRound(plan: Plan, chance: Chance, request: ModelRequest, round: number): ModelRound {
  const kind = chance.weighted({ calls: 9, end: round < 3 ? 1.5 : 4, truncated: 0.6, refused: 0.2, paused: 0.5, textual: 0.5 })
  const names = request.tools.map(tool => tool.name)
  const calls = () => Array.from({ length: chance.from(1, 4) }, () => drawCall(plan, chance, names))
  switch (kind) {
    case 'calls':
      return { completion: 'clean', stop: chance.hit(0.9) ? 'tool_calls' : 'end', items: [...provided(plan, chance), ...calls()] }
    case 'end':
      return { completion: 'clean', stop: 'end', items: [] }
    case 'truncated':
      return { completion: 'truncated', stop: chance.one(['length', 'context', 'who-knows']), items: chance.hit(0.7) ? calls() : [] }
    case 'refused':
      return { completion: 'refused', stop: 'refusal', items: chance.hit(0.4) ? calls() : [], refusal: 'It does not want to.' }
    case 'paused':
      return { completion: 'paused', stop: 'pause', items: chance.hit(0.4) ? calls() : [] }
    case 'textual':
      return { completion: 'clean', stop: chance.one(['end', 'tool_calls']), items: [{ kind: 'text', text: textualCall(chance) }] }
  }
}

function textualCall(chance: Chance): string {
  const { name } = chance.one(KINDS)
  return JSON.stringify({ type: 'tool_call', id: 'c9', name, arguments: { id: 1, note: IN_TEXT } })
}

function provided(plan: Plan, chance: Chance): readonly ModelItem[] {
  if (plan.providerTools === 'none' || chance.hit(0.7)) return []
  return [{ kind: 'provider-tool', name: 'search_web', input: { query: 'x' }, result: { found: 1 } }]
}

function drawCall(plan: Plan, chance: Chance, names: readonly string[]): ModelItem {
  const good = chance.hit(0.96) && names.length > 0
  const name = good ? chance.one(names) : chance.one(['PAY', 'pay ', 'toString', '__proto__', 'send_mail'])
  const id = chance.one(['c1', 'c2', 'c2', `c${chance.from(3, 99)}`, null])
  return { kind: 'call', id, name, arguments: drawArguments(plan, chance, name) }
}

/** Few different values, so that calls repeat. */
function drawArguments(plan: Plan, chance: Chance, name: string): string | null {
  const kind = chance.weighted({ good: 40, broken: 0.7, missing: 0.7, extra: 0.5, doubled: 0.3, absent: 0.3 })
  const id = chance.from(1, 3)
  if (name === ASK) return kind === 'good' ? JSON.stringify({ question: `Which one, ${id}?` }) : '{}'
  const reads = name.startsWith('read')
  const secret = plan.secrets !== 'none' && !reads && chance.hit(0.6) ? { token: `${SECRET}-${id}` } : {}
  switch (kind) {
    case 'good':
      return JSON.stringify({ id, ...(chance.hit(0.3) ? { note: 'n' } : {}), ...secret })
    case 'broken':
      return `{"id": ${id}`
    case 'missing':
      return '{"note":"n"}'
    case 'extra':
      return JSON.stringify({ id, contentTrust: 'trusted' })
    case 'doubled':
      return `{"id":${id},"id":9}`
    case 'absent':
      return chance.one([null, '', ' '])
  }
}
