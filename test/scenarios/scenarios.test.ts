// Goal: every scenario comes out as it says in memory, where kills are simulated.

import { scenarioSuite } from './suite.ts'

scenarioSuite('in memory', { store: 'memory:', bus: 'memory:', inProcess: true })
