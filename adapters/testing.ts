// `toolturn/testing`: what teams test their turns with. The charts and the strict step over both, to generate paths from; the scenario
// runner; the scripted model; a bus of one process.

export { memoryBroker, memoryBus, type MemoryBroker } from '../bus/memory.ts'
export { callChart } from '../machines/call.ts'
export { startOf, stepChart } from '../machines/chart.ts'
export { pending } from '../machines/effects.ts'
export { fold, parseEvent, step } from '../machines/fold.ts'
export { turnChart } from '../machines/turn.ts'
export { memoryDatabase, type MemoryDatabase } from '../store/memory.ts'
export { chartGraph, graphOf } from './graph.ts'
export { scripted, type ScriptedOptions } from './models/scripted.ts'
export { readScenario } from './scenario/read.ts'
export { runScenario, type ScenarioResult } from './scenario/run.ts'
