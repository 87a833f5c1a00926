// The desk: where a run opens its turn, where people act, and where stored history is looked at. It drives nothing, as a web process.

import { ToolturnError } from '../../machines/errors.ts'
import type { StoredEvent } from '../../machines/events.ts'
import type { Store } from '../../machines/ports/store.ts'
import type { PrincipalInput, Runtime } from '../../machines/runtime/api.ts'
import { createRuntime, type HostOptions } from '../host.ts'
import { activity } from './activity.ts'
import { brokenBus, copiedBus } from './buses.ts'
import { isBusDown } from './faults.ts'
import type { Person, Step } from './format.ts'
import type { Ledger } from './ledger.ts'
import { optionsOf } from './options.ts'
import type { Plan } from './plan.ts'
import { witnessedStore, type Witness } from './witness.ts'

/** What came of a step, or of the attempt to open the turn. */
export type Told = { readonly state: string | null; readonly code: string | null }

/** All that may be asked of a desk. Arguments and answers are JSON, so a desk can be in another process. */
export type Desk = {
  /** The turn's id; where it was refused, only the code. */
  readonly spawn: () => Promise<{ readonly turnId: string | null; readonly code: string | null }>
  readonly read: (turnId: string, after: number) => Promise<readonly StoredEvent[]>
  /** Sends what a person does. @returns the word they got back */
  readonly act: (turnId: string, approvalId: string, person: Person) => Promise<string>
  /** Replays or verifies; of a retry, whether it was taken: what comes of it is the worker's. */
  readonly step: (turnId: string, step: Step['do']) => Promise<Told>
  readonly advance: (ms: number) => Promise<void>
  readonly damage: (turnId: string, version: number) => Promise<void>
  readonly close: () => Promise<void>
}

/** What a desk is given of the world. */
export type DeskSurroundings = {
  /** Stays open when the desk is closed. */
  readonly store: Store
  readonly bus: NonNullable<HostOptions['bus']>
  readonly ledger: Ledger
  readonly witness: Witness
}

export async function openDesk(plan: Plan, { store, bus, ledger, witness }: DeskSurroundings): Promise<Desk> {
  const busy = activity()
  const runtime = await createRuntime({
    ...optionsOf(plan, ledger, busy, store.read),
    drive: false,
    store: { kind: plan.address.store.kind, open: async () => ({ ...witnessedStore(store, witness), close: async () => undefined }) },
    bus: isBusDown(plan.scenario) ? brokenBus() : copiedBus(bus, ledger, busy),
  })
  return {
    spawn: () => spawn(runtime, plan),
    read: (turnId, after) => store.read(turnId, after),
    act: (turnId, approvalId, person) => act(runtime, turnId, approvalId, person).catch(wordFor),
    step: (turnId, step) => takeStep(runtime, turnId, step, plan.scenario.turn.principal).catch(toldOf),
    advance: store.advance,
    damage: store.damage,
    close: () => runtime.close(),
  }
}

async function spawn(runtime: Runtime, { scenario, name, spawnKey }: Plan): ReturnType<Desk['spawn']> {
  const { principal, input, limits, output, approvers } = scenario.turn
  try {
    const { id } = await runtime.spawn({
      principal,
      input,
      tenant: name,
      key: spawnKey,
      ...(limits === undefined ? {} : { limits }),
      ...(output === undefined ? {} : { output: { schema: output.schema } }),
      ...(approvers === undefined ? {} : { approvers }),
    })
    return { turnId: id, code: null }
  } catch (error) {
    return { turnId: null, code: codeOf(error) }
  }
}

async function act(runtime: Runtime, turnId: string, approvalId: string, person: Person): Promise<string> {
  const lane = { as: person.as, via: person.via ?? 'app' }
  switch (person.do) {
    case 'approve':
      return (await runtime.approve(approvalId, lane)).decision
    case 'edit':
      return (await runtime.approve(approvalId, { ...lane, arguments: person.arguments })).decision
    case 'deny':
      return (await runtime.deny(approvalId, lane)).decision
    case 'raw':
      return (await runtime.decide(approvalId, person.decision, lane)).decision
    case 'answer':
      await runtime.answer(turnId, { ...lane, answer: person.answer })
      return 'answered'
    case 'cancel':
      await runtime.cancel(turnId, lane)
      return 'cancelled'
  }
}

const WORDS: { readonly [code: string]: string } = {
  approval_already_resolved: 'already-resolved',
  approval_expired: 'expired',
  approval_not_yours: 'turned-away',
  approval_channel_refused: 'turned-away',
  decision_invalid: 'invalid',
  option_invalid: 'invalid',
  turn_not_open: 'not-open',
  approval_not_found: 'not-open',
}

/** The word for a refusal; of any other error its code. */
function wordFor(error: unknown): string {
  const code = codeOf(error)
  return WORDS[code] ?? code
}

/** Whoever retries where nobody acts. */
const OPERATOR: PrincipalInput = { issuer: 'scenario', id: 'operator', kind: 'service' }

async function takeStep(runtime: Runtime, turnId: string, step: Step['do'], principal: PrincipalInput | null): Promise<Told> {
  switch (step) {
    case 'replay': {
      const { state, code } = await runtime.replay(turnId)
      return { state, code }
    }
    case 'retry':
      await runtime.retry(turnId, { as: principal ?? OPERATOR, despiteDoubt: true })
      return { state: null, code: null }
    case 'verify': {
      const { ok } = await runtime.verify(turnId)
      return { state: null, code: ok ? null : 'history_broken' }
    }
  }
}

function toldOf(error: unknown): Told {
  return { state: null, code: codeOf(error) }
}

/** @throws the error itself where it is none of the runtime's: that is a fault, and no outcome */
function codeOf(error: unknown): string {
  if (error instanceof ToolturnError) return error.code
  throw error
}
