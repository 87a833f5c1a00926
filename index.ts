// The public door of the package. Stores and buses that need a server have doors of their own: `toolturn/postgres`, `toolturn/nats`,
// `toolturn/embedded`; what tests need is behind `toolturn/testing`.

export { createRuntime, type HostOptions } from './adapters/host.ts'
export { tool, type ToolOptions } from './adapters/tool.ts'
export { lineLog } from './adapters/log.ts'
export { folderBlobs } from './adapters/blobs.ts'
export { scripted } from './adapters/models/scripted.ts'
export { lintCatalog, type LintOptions } from './adapters/lint/catalog/lint.ts'
export type { LintedDescriptor } from './adapters/lint/catalog/linted.ts'
export type { Finding, Severity } from './adapters/lint/finding.ts'
export { checkTranscript } from './adapters/lint/transcript/check.ts'
export type { TranscriptFormat } from './adapters/lint/transcript/format.ts'
export { memory } from './store/memory-source.ts'
export { noBus } from './bus/none.ts'
export { ToolturnError, ERROR_PAGES, type ErrorCode, type ErrorPage, type Mover } from './machines/errors.ts'
export { EVENT_SCHEMAS, EVENT_TYPES, type Event, type EventData, type EventOf, type EventType } from './machines/events.ts'
export { DEFAULT_LIMITS, type LimitOptions, type Limits } from './machines/limits.ts'
export type { ToolSource } from './machines/ports/source.ts'
export type { Model, ModelFailure, ModelRequest, ModelRound } from './machines/ports/model.ts'
export type { Blobs, Log, Policy, PolicyAnswer } from './machines/ports/world.ts'
export type { ApprovalRow, TurnRow } from './machines/ports/rows.ts'
export type { CallContext, Reconciled, Tool, ToolResult } from './machines/tool.ts'
export type {
  As,
  Deciding,
  ListOptions,
  PrincipalInput,
  ReplayResult,
  Resolution,
  Runtime,
  SpawnOptions,
  SubscribeOptions,
  TurnHandle,
  TurnResult,
  VerifyResult,
} from './machines/runtime/api.ts'
