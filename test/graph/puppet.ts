// From a history to a world that brings it about: the model, the tools, the policy and the people look at the fact that is next in
// the history, and do what leads to it. The loop under test knows nothing of it.

import { tool } from '../../adapters/tool.ts'
import { refresh } from '../../machines/actor/commit.ts'
import type { Fact, FactOf } from '../../machines/events.ts'
import { inquire } from '../../machines/inquiry.ts'
import { DEFAULT_LIMITS } from '../../machines/limits.ts'
import type { AskContext, ModelFailure, ModelItem, ModelRound } from '../../machines/ports/model.ts'
import type { PolicyDecision } from '../../machines/ports/world.ts'
import type { CallContext, Reconciled, Tool } from '../../machines/tool.ts'
import type { Stage } from '../stage/stage.ts'
import { FORMS } from './composed-cases.ts'
import { comesLate, followedBy, nextAbout, ordinalOf, runsOutBehind } from './foresight.ts'
import { actFor, isOfPeople } from './people.ts'

/** Longer than a tool of the stage may record: its record is a miss. */
const LONG = 'x'.repeat(1_000)
const RECORD_BYTES = 200
/** A tool is not cut off by the jumps of the clock, but where a completion is to come late. */
const NEVER_MS = 1e9
const TIMEOUT_MS = 60_000

const NEVER = new Promise<never>(() => undefined)
const TALK: ModelRound = { completion: 'clean', stop: 'end', items: [{ kind: 'text', text: '"done"' }] }

export type Puppet = {
  readonly tools: readonly Tool[]
  readonly ask: (context: AskContext) => Promise<ModelRound>
  readonly policy: (ordinal: number) => Promise<PolicyDecision>
  readonly enter: (stage: Stage) => void
  /** The fact that is next; undefined once the history is played, or the loop went another way. */
  readonly next: () => Promise<Fact | undefined>
  /** The fact behind that. */
  readonly afterNext: () => Promise<Fact | undefined>
  /** Something was appended: whoever waits looks again. */
  readonly changed: () => void
  /** Nothing moves any more: the history is given up, and what waits goes on by itself. */
  readonly giveUp: () => void
}

type Strings = { readonly history: readonly Fact[]; stage: Stage | null; waiting: (() => void)[]; crashes: Set<number>; givenUp: boolean }

export function createPuppet(history: readonly Fact[]): Puppet {
  const strings: Strings = { history, stage: null, waiting: [], crashes: new Set(), givenUp: false }
  const tries = history.some(fact => fact.type === 'call.failed') ? 3 : 1
  const changed = () => {
    for (const resume of strings.waiting.splice(0)) resume()
  }
  return {
    tools: [
      stageTool('look', { replayPolicy: 'read-only', contentTrust: 'untrusted', tries }, strings),
      stageTool('pay', { replayPolicy: 'at-most-once', contentTrust: 'trusted', tries: 1 }, strings),
      stageTool('ask_user', { replayPolicy: 'read-only', contentTrust: 'trusted', tries: 1 }, strings),
    ],
    ask: context => ask(strings, context),
    policy: ordinal => policy(strings, ordinal),
    enter: stage => {
      strings.stage = stage
    },
    next: () => next(strings, 0),
    afterNext: () => next(strings, 1),
    changed,
    giveUp: () => {
      strings.givenUp = true
      changed()
    },
  }
}

function onStage({ stage }: Strings): Stage {
  if (stage === null) throw new Error('the puppet has no stage')
  return stage
}

async function position(strings: Strings): Promise<number | null> {
  const events = await onStage(strings).events()
  return !strings.givenUp && followedBy(strings.history, events) === events.length ? events.length : null
}

async function next(strings: Strings, further: 0 | 1): Promise<Fact | undefined> {
  const at = await position(strings)
  return at === null ? undefined : strings.history[at + further]
}

async function ask(strings: Strings, { signal }: AskContext): Promise<ModelRound> {
  for (;;) {
    const at = await position(strings)
    const fact = at === null ? undefined : strings.history[at]
    if (at === null || fact === undefined) {
      signal.throwIfAborted()
      return TALK
    }
    switch (fact.type) {
      case 'round.recorded':
        if (runsOutBehind(strings.history, at)) runOut(strings)
        return roundFor(strings.history, at, fact)
      case 'round.failed':
        throw modelFailure(strings.history[at + 1]?.type === 'turn.failed')
      case 'turn.cancelling':
        await act(strings, fact, at)
        break
      case 'turn.exhausted':
        onStage(strings).clock.jump(DEFAULT_LIMITS.turnTimeoutMs)
        signal.throwIfAborted()
        return TALK
      case 'call.late':
        await change(strings)
        break
      case 'call.dispatched':
      case 'turn.failed':
        if (!crash(strings, at)) return TALK
        break
      default:
        signal.throwIfAborted()
        return TALK
    }
    if (strings.crashes.has(at)) signal.throwIfAborted()
  }
}

/** Working time is over: the next decision finds it so. */
function runOut(strings: Strings): void {
  onStage(strings).clock.slip(DEFAULT_LIMITS.turnTimeoutMs)
}

/** The worker dies, once at each place. @returns false where that has not led on */
function crash(strings: Strings, at: number): boolean {
  if (strings.crashes.has(at)) return false
  strings.crashes.add(at)
  onStage(strings).crash()
  return true
}

/** Facts that come about although a cancel came first: their owner has not heard of it, until its append is lost. */
const UNHEARD: readonly (Fact['type'] | undefined)[] = ['call.failed', 'round.recorded']

/** A person does something while the turn is driven, and its owner hears of it. */
async function act(strings: Strings, fact: Fact, at: number): Promise<void> {
  const stage = onStage(strings)
  if (!(await actFor(stage, fact, strings.history[at + 1]))) strings.givenUp = true
  const actor = stage.actor()
  if (actor !== null && !UNHEARD.includes(strings.history[at + 1]?.type)) await refresh(actor)
}

function roundFor(history: readonly Fact[], at: number, { data }: FactOf<'round.recorded'>): ModelRound {
  const items = data.items.map((item): ModelItem => {
    if (item.kind === 'text') return { kind: 'text', text: data.output?.valid === false ? 'no JSON' : '"done"' }
    if (item.kind !== 'call') return item
    return { kind: 'call', id: null, name: item.name, arguments: argumentsFor(nextAbout(history, at + 1, item.ordinal), item.ordinal) }
  })
  return { completion: data.completion, stop: data.completion, items }
}

/** Arguments that lead to the verdict: none that can be read, those of a call before it, or its own. */
function argumentsFor(verdict: Fact | undefined, ordinal: number): string {
  if (verdict?.type === 'call.invalid') return '{'
  return JSON.stringify({ n: verdict?.type === 'call.suppressed' ? ordinal - 1 : ordinal })
}

function modelFailure(final: boolean): Error & ModelFailure {
  return Object.assign(new Error('no answer'), { modelFailure: true, kind: 'timeout', final, code: 'model_unavailable' } as const)
}

async function policy(strings: Strings, ordinal: number): Promise<PolicyDecision> {
  const at = await position(strings)
  if (at === null) return 'allow'
  const fact = nextAbout(strings.history, at, ordinal)
  if (strings.history[at]?.type !== 'round.recorded' && runsOutBehind(strings.history, at - 1)) runOut(strings)
  if (fact?.type === 'call.held') return 'ask'
  return fact?.type === 'call.refused' ? 'deny' : 'allow'
}

function stageTool(name: string, how: Pick<Tool['descriptor'], 'replayPolicy' | 'contentTrust' | 'tries'>, strings: Strings): Tool {
  return tool({
    ...how,
    name,
    description: `The tool ${name}.`,
    input: { type: 'object' },
    approval: 'never',
    timeoutMs: strings.history.some(fact => fact.type === 'call.late') ? TIMEOUT_MS : NEVER_MS,
    recordBytes: RECORD_BYTES,
    run: (_args, call) => run(strings, call),
    reconcile: (_args, call) => reconcile(strings, call),
  })
}

async function run(strings: Strings, { ordinal }: CallContext): Promise<unknown> {
  const mine = onStage(strings).actor()
  for (;;) {
    // What its worker left behind when it died does nothing any more.
    if (onStage(strings).actor() !== mine) return NEVER
    const at = await position(strings)
    const fact = at === null ? undefined : strings.history[at]
    if (at === null || fact === undefined) return 'ok'
    if (isOfPeople(fact)) {
      await act(strings, fact, at)
      continue
    }
    if (ordinalOf(fact) === ordinal) {
      switch (fact.type) {
        case 'call.recorded':
          if (runsOutBehind(strings.history, at)) runOut(strings)
          if (!comesLate(strings.history, at, ordinal)) return fact.data.truncated ? LONG : 'ok'
          onStage(strings).clock.jump(TIMEOUT_MS)
          break
        case 'call.late':
          return 'ok'
        case 'call.inquired':
          return inquire({ forms: FORMS, state: 'state' })
        case 'call.failed':
          throw new Error('a try failed')
        case 'call.dispatched':
        case 'call.settled':
        case 'turn.failed':
          if (!crash(strings, at)) return 'ok'
          break
        case 'call.ended':
          onStage(strings).decide(append => (append.events.some(event => event.type === 'call.recorded') ? 'refused' : 'sent'))
          runOut(strings)
          return 'ok'
        default:
          return 'ok'
      }
    }
    await change(strings)
  }
}

/** Resolves when something was appended. */
function change(strings: Strings): Promise<void> {
  return new Promise(resolve => strings.waiting.push(resolve))
}

async function reconcile(strings: Strings, { ordinal }: CallContext): Promise<Reconciled> {
  const fact = await next(strings, 0)
  if (fact?.type !== 'call.settled' || fact.data.ordinal !== ordinal) return 'unknown'
  return fact.data.settled === 'happened' ? { happened: 'ok' } : 'did-not-happen'
}
