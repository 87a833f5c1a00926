// Goal: every scenario comes out as it says, without any server: in memory, where kills are simulated; and, where something breaks,
// in a folder, with a worker process that is really killed. A process that opens a folder takes a second to do so, so not all of them
// are run there; `toolturn scenario run test/scenarios/*.json` runs them all.

import { scenarioSuite, whereSomethingBreaks } from './suite.ts'

scenarioSuite('in memory', { store: 'memory:', bus: 'memory:', inProcess: true })
scenarioSuite('in a folder, with worker processes', { store: 'pglite:', bus: 'memory:', inProcess: false }, whereSomethingBreaks)
