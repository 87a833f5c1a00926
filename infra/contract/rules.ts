// What holds the contract: for each rule, limit and case from the field the scenarios and tests that would notice its breach, and
// what cannot be seen before an adapter is there. Kept in test/contract/rules.json.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSuite, type Suite } from '../../adapters/scenario/suite.ts'

export const TOP = join(import.meta.dirname, '..', '..')

export type Held = {
  /** Names of files in test/scenarios, without their ending. */
  readonly scenarios?: readonly string[]
  /** Paths of test files. */
  readonly tests?: readonly string[]
  /** What of it cannot be seen yet, and what that waits for. */
  readonly waits?: string
}

export type Rule = Held & { readonly says: string }

/** Scenarios at the edge of a limit, and beside it. */
export type Limit = Omit<Held, 'scenarios'> & { readonly met?: readonly string[]; readonly notMet?: readonly string[] }

export type Contract = {
  readonly rules: Readonly<Record<string, Rule>>
  readonly limits: Readonly<Record<string, Limit>>
  readonly cases: Readonly<Record<string, Rule>>
}

export type Status = 'held' | 'held in part' | 'waits'

export function readContract(): Contract {
  return JSON.parse(readFileSync(join(TOP, 'test', 'contract', 'rules.json'), 'utf8')) as Contract
}

/** The suites that the source document names, in its order. */
export const SUITES = [
  'v2-tool-admission-order',
  'v2-turn-trust-approver',
  'v2-tool-turn-replay',
  'v2-tool-turn-recovery',
  'v2-tool-clarification',
  'v2-provider-tool-suppressed',
] as const

export async function readSuites(): Promise<readonly Suite[]> {
  return Promise.all(SUITES.map(readSuite))
}

export function scenariosOf(held: Rule | Limit): readonly string[] {
  return 'says' in held ? (held.scenarios ?? []) : [...new Set([...(held.met ?? []), ...(held.notMet ?? [])])]
}

/** Held in part: something of it is seen, and something waits. */
export function statusOf(held: Rule | Limit): Status {
  const seen = scenariosOf(held).length + (held.tests ?? []).length
  if (held.waits === undefined) return 'held'
  return seen > 0 ? 'held in part' : 'waits'
}
