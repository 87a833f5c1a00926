// What a tool is: the descriptor that the model and the record see, and the host's implementation behind it (G1, G2).

import Type, { type Static } from 'typebox'
import { createHash } from 'node:crypto'
import type { Inquired } from './inquiry.ts'
import { canonicalJson, type Json, type JsonObject } from './json.ts'
import type { Principal } from './principal.ts'

/** Whether a call may run again when its outcome is not known (D3). Mandatory for host tools. */
export const ReplayPolicy = Type.Union([Type.Literal('read-only'), Type.Literal('idempotent'), Type.Literal('at-most-once')])
export type ReplayPolicy = Static<typeof ReplayPolicy>

/** `untrusted < trusted`; the bit of a turn is the minimum over all it has read (C1). */
export const ContentTrust = Type.Union([Type.Literal('trusted'), Type.Literal('untrusted')])
export type ContentTrust = Static<typeof ContentTrust>

/** When a person must agree before a call runs. */
export const ApprovalRule = Type.Union([Type.Literal('never'), Type.Literal('when-untrusted'), Type.Literal('always')])
export type ApprovalRule = Static<typeof ApprovalRule>

/** Any JSON Schema, as the host or a server wrote it. */
const AnySchema = Type.Unsafe<JsonObject | boolean>({ type: ['object', 'boolean'] })

/** What is frozen into a turn when it opens, shown to the model (name, description, input schema) and never taken from it. */
export const ToolDescriptor = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 256 }),
    description: Type.String(),
    inputSchema: AnySchema,
    outputSchema: Type.Optional(AnySchema),
    replayPolicy: ReplayPolicy,
    contentTrust: ContentTrust,
    /** `by-arguments`: the host's function decides on the prepared arguments of each call. */
    approval: Type.Union([ApprovalRule, Type.Literal('by-arguments')]),
    scopes: Type.Array(Type.String({ minLength: 1 })),
    /** Milliseconds that one try may take. */
    timeoutMs: Type.Integer({ minimum: 1 }),
    /** Tries of one dispatch: thrown errors and timeouts are tried again, an `isError` result is not. */
    tries: Type.Integer({ minimum: 1 }),
    /** Largest result that is recorded whole, where the tool has its own bound. */
    recordBytes: Type.Optional(Type.Integer({ minimum: 0 })),
    /** The source that it comes from, an MCP server for one; none for a tool of the host's own. */
    source: Type.Optional(Type.String({ minLength: 1 })),
    /** Digest over all of the above: two descriptors of one version are the same. */
    version: Type.String(),
    /** Why no call of it can be admitted: its schema cannot be compiled or is hostile (G6). */
    quarantined: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)
export type ToolDescriptor = Static<typeof ToolDescriptor>

/** One block of a result. The known kinds are text, image, audio, resource and resource_link; others are kept as they are. */
export type ContentBlock = JsonObject & { readonly type: string }

/** The MCP result shape (G1). `content` is never empty once a result was normalised. */
export type ToolResult = {
  readonly content: readonly ContentBlock[]
  readonly structuredContent?: Json
  readonly isError?: boolean
}

/** What a running tool is told about its call. */
export type CallContext = {
  /** Idempotency key: the same on every re-run of this call (D1). */
  readonly invocationId: string
  /** Which dispatch this is, from 1; a tool that fences writes only where its dispatch is the highest (D6). */
  readonly dispatch: number
  /** Which try of this dispatch, from 1. */
  readonly try: number
  readonly attempt: number
  readonly ordinal: number
  readonly turnId: string
  readonly tenant: string
  readonly labels: { readonly [name: string]: string }
  readonly principal: Principal | null
  /** True while the tool may return an inquiry in place of a result (see `inquire`). */
  readonly mayInquire?: boolean
  /** What the acting person answered to the tool's last inquiry of this call, and the state that it was to be given back with. */
  readonly inquired?: Inquired
  /** Aborted on cancel, on timeout and when the worker lost its lease. */
  readonly signal: AbortSignal
  readonly log: (message: string, fields?: JsonObject) => void
}

/** What became of a dispatch in doubt. `did-not-happen` promises that it can no longer happen either (D6). */
export type Reconciled = { readonly happened: unknown } | 'did-not-happen' | 'unknown'

/** What an approval rule given as a function may look at. */
export type TurnView = {
  readonly turnId: string
  readonly tenant: string
  readonly labels: { readonly [name: string]: string }
  readonly principal: Principal | null
  readonly contentTrust: ContentTrust
  readonly attempt: number
}

/** A descriptor and the host's functions behind it. */
export type Tool = {
  readonly descriptor: ToolDescriptor
  /** Returns an MCP result or any value; what it throws becomes an `isError` result (B9). */
  readonly run: (args: JsonObject, call: CallContext) => unknown
  readonly reconcile?: (args: JsonObject, call: CallContext) => Reconciled | Promise<Reconciled>
  /** Only where the descriptor says `by-arguments`. Sees the prepared arguments. */
  readonly approvalOf?: (args: JsonObject, turn: TurnView) => ApprovalRule | Promise<ApprovalRule>
  /** Trust in its description and schemas, which the model reads; default trusted, as the host's own words are (C1). */
  readonly descriptionTrust?: ContentTrust
}

/** Digest of a descriptor without its version: what an approval is bound to and a drift is seen by. */
export function descriptorVersion(descriptor: Omit<ToolDescriptor, 'version' | 'quarantined'>): string {
  return createHash('sha256').update(canonicalJson(descriptor)).digest('base64url').slice(0, 22)
}

const SOURCE_NAME = /^(?!.*__)[A-Za-z0-9][A-Za-z0-9_-]{0,63}(?<!_)$/

/** So that a qualified name says where the source's name ends. */
export function isSourceName(name: unknown): name is string {
  return typeof name === 'string' && SOURCE_NAME.test(name)
}

/** What a tool of a source is called by where its own name is taken, and is found by in any case. */
export function qualifiedName(source: string, tool: string): string {
  return `${source}__${tool}`
}

/**
 * What a worker must have, to drive a turn that offers this tool: the tool by its name, or its source, whose tools come and go. One that
 * is gone when its call is next is then refused, and the turn is not left without a worker (C7).
 */
export function servedAs({ name, source }: Pick<ToolDescriptor, 'name' | 'source'>): string {
  return source === undefined ? name : qualifiedName(source, '*')
}

/** Digest of a whole catalog, frozen and recorded when a turn opens (G2). */
export function catalogDigest(catalog: readonly ToolDescriptor[]): string {
  return createHash('sha256')
    .update(canonicalJson(catalog.map(tool => [tool.name, tool.version])))
    .digest('base64url')
}
