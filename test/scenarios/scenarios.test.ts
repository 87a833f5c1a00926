// Goal: every scenario comes out as it says, without any server: in memory, where kills are simulated; and, where something breaks,
// in a folder, with a worker process that is really killed.

import { scenarioSuite, withFaults } from './suite.ts'

scenarioSuite('in memory', { store: 'memory:', bus: 'memory:', inProcess: true })
scenarioSuite('in a folder, with worker processes', { store: 'pglite:', bus: 'memory:', inProcess: false }, withFaults)
