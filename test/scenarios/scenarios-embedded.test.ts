// Goal: every scenario comes out as it says in a folder, without any server; where a worker is killed, it is a process that really is.

import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readScenario } from '../../adapters/scenario/read.ts'
import { runScenario } from '../../adapters/scenario/run.ts'
import { scenarioSuite } from './suite.ts'

const FOLDER = { store: 'pglite:', bus: 'memory:', inProcess: false }

scenarioSuite('in a folder', FOLDER)

describe('a worker in a folder', () => {
  const pidsOf = async (name: string) => {
    const scenario = await readScenario(join(import.meta.dirname, `${name}.json`))
    const { differences, trace } = await runScenario(scenario, FOLDER)
    expect(differences).toEqual([])
    return trace.ledger.flatMap(entry => (entry.kind === 'execution' ? [entry.pid] : []))
  }

  it('that is killed is a process, and another one goes on', async () => {
    const pids = await pidsOf('recovery-idempotent-killed-before-the-record')
    expect(new Set([...pids, process.pid]).size).toBe(3)
  })

  it('that is not killed needs no process of its own', async () => {
    expect(new Set(await pidsOf('arguments-are-prepared-once'))).toEqual(new Set([process.pid]))
  })
})
