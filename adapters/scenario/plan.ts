// What every process of one run is told, in JSON: the scenario, where it runs, and the names that all of them use.

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Scenario } from './format.ts'
import type { Address, Place } from './places.ts'

export type Plan = {
  readonly scenario: Scenario
  readonly address: Address
  /** Name of the runtime, and tenant of the turn. */
  readonly name: string
  /** Under it the turn is opened, so that it is opened once. */
  readonly spawnKey: string
  /** Base64: seals what redaction masks, for every process that takes the turn over; null where the host has no key. */
  readonly hostKey: string | null
  /** The file that executions and requests are written to. */
  readonly ledger: string
}

export function planOf(scenario: Scenario, { address, folder }: Place): Plan {
  const id = randomBytes(6).toString('hex')
  return {
    scenario,
    address,
    name: `scenario-${id}`,
    spawnKey: id,
    hostKey: scenario.hostKey === false ? null : randomBytes(32).toString('base64'),
    ledger: join(folder, 'ledger.jsonl'),
  }
}
