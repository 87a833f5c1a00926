// Goal: every scenario comes out as it says on Postgres and NATS, with a worker process that is really killed.

import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readScenario } from '../../adapters/scenario/read.ts'
import { runScenario } from '../../adapters/scenario/run.ts'
import { describeWithServers } from '../servers.ts'
import { scenarioSuite } from './suite.ts'

describeWithServers('scenarios on servers', ({ postgres, nats }) => {
  scenarioSuite('on Postgres and NATS, with worker processes', { store: postgres, bus: nats, inProcess: false })

  describe('a kill', () => {
    const killed = () => readScenario(join(import.meta.dirname, 'recovery-idempotent-killed-before-the-record.json'))

    it('ends a process, and another one goes on', async () => {
      const { differences, trace } = await runScenario(await killed(), { store: postgres, bus: nats, inProcess: false })
      const pids = trace.ledger.flatMap(entry => (entry.kind === 'execution' ? [entry.pid] : []))
      expect(differences).toEqual([])
      expect(new Set([...pids, process.pid]).size).toBe(3)
    })

    it('is simulated where everything is to be in one process', async () => {
      const { differences, trace } = await runScenario(await killed(), { store: postgres, bus: nats, inProcess: true })
      const pids = trace.ledger.flatMap(entry => (entry.kind === 'execution' ? [entry.pid] : []))
      expect(differences).toEqual([])
      expect(pids).toEqual([process.pid, process.pid])
    })
  })
})
