// The public door of the package. Everything else is behind it.

export { createRuntime, type HostOptions } from './adapters/host.ts'
export { tool, type ToolOptions } from './adapters/tool.ts'
export { lineLog, silentLog } from './adapters/log.ts'
export { folderBlobs } from './adapters/blobs.ts'
export { scripted } from './adapters/models/scripted.ts'
export { postgres } from './store/postgres.ts'
export { embedded } from './store/embedded.ts'
export { memory } from './store/memory-source.ts'
export { nats } from './bus/nats.ts'
export { memoryBus, memoryBroker } from './bus/memory.ts'
export { noBus } from './bus/none.ts'
export { ToolturnError, ERROR_PAGES, type ErrorCode, type Mover } from './machines/errors.ts'
export { EVENT_SCHEMAS, EVENT_TYPES, type Event, type EventType, type EventOf } from './machines/events.ts'
export { DEFAULT_LIMITS, type Limits } from './machines/limits.ts'
export type { Model, ModelRequest, ModelRound, ModelFailure } from './machines/ports/model.ts'
export type { Policy, PolicyAnswer, Log, Blobs } from './machines/ports/world.ts'
export type { CallContext, Reconciled, Tool, ToolResult } from './machines/tool.ts'
export type {
  As,
  ListOptions,
  ReplayResult,
  Runtime,
  SpawnOptions,
  TurnHandle,
  TurnResult,
  VerifyResult,
} from './machines/runtime/api.ts'
