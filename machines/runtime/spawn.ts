// Opening a turn: everything uncertain about it settled, its catalog and limits frozen, in one durable event.

import { createHash } from 'node:crypto'
import { Buffer } from 'node:buffer'
import { chain, GENESIS } from '../chain.ts'
import { ToolturnError } from '../errors.ts'
import type { FactOf } from '../events.ts'
import type { ProviderTool, TurnOpened } from '../events/turn.ts'
import { fold, parseEvent } from '../fold.ts'
import { historyOf } from '../history.ts'
import { canonicalJson, type Json } from '../json.ts'
import type { LimitOptions } from '../limits.ts'
import type { Ports } from '../ports.ts'
import type { OpenTurn } from '../ports/store.ts'
import type { Redactor } from '../ports/world.ts'
import { project } from '../projection.ts'
import { meet } from '../remember.ts'
import { hasEnded, type TurnState } from '../state.ts'
import { isoTime } from '../time.ts'
import { catalogDigest, servedAs, type ContentTrust, type Tool } from '../tool.ts'
import { offered } from './catalog.ts'
import { readLimits, refuse } from './door.ts'
import type { SpawnWish } from './spawn-options.ts'

/** What a runtime puts into every turn it opens. */
export type SpawnDefaults = {
  readonly runtime: string
  readonly system: string | undefined
  readonly ask: string | null
  readonly limits: LimitOptions | undefined
  readonly providerTools: readonly ProviderTool[]
}

/** A turn that is ready to be opened, and its state once it is. */
export type Opening = { readonly turn: OpenTurn; readonly state: TurnState }

/**
 * Makes the first event of a turn.
 *
 * @param followed the state of the turn that `follows` names
 * @param worker who writes it; `owner` likewise drives it from the start, null leaves it to the next claim
 * @throws ToolturnError `option_invalid`
 */
export function openTurn(
  wish: SpawnWish,
  defaults: SpawnDefaults,
  followed: TurnState | null,
  ports: Ports,
  worker: string,
  owner: string | null,
): Opening {
  const { tenant } = wish
  const data = turnOpened(wish, defaults, followed, ports)
  const turnId = ports.random.turnId()
  const fact: FactOf<'turn.opened'> = { type: 'turn.opened', data }
  const stamp = { turnId, tenant, time: isoTime(ports.store.time()), actor: { kind: 'worker' as const, id: worker }, worked: 0 }
  const events = chain({ version: 0, hash: GENESIS }, [fact], stamp, () => Buffer.from(ports.random.bytes(16)).toString('hex'))
  const state = fold(events.map(parseEvent))
  const turn: OpenTurn = {
    turnId,
    tenant,
    runtime: defaults.runtime,
    key: data.key,
    contentDigest: contentDigest(data, wish.tools),
    labels: data.labels,
    principal: data.principal,
    offers: [...new Set(data.catalog.map(servedAs))],
    turnKey: ports.random.bytes(32),
    events,
    projection: project(state),
    owner,
  }
  return { turn, state }
}

function turnOpened(wish: SpawnWish, defaults: SpawnDefaults, followed: TurnState | null, ports: Ports): TurnOpened {
  const { principal, input, output, approvers, labels, key, follows } = wish
  if (followed !== null && !hasEnded(followed)) refuse('follows', 'a turn that has ended')
  const tools = offered(ports.tools, wish.tools)
  const catalog = tools.map(tool => tool.descriptor)
  const redact = (text: string): string => ports.redactor.text(text).text
  return {
    runtime: defaults.runtime,
    principal,
    ...(defaults.system === undefined ? {} : { system: redact(defaults.system) }),
    input: input.map(entry => ({ ...entry, text: redact(entry.text) })),
    contentTrust: [...input.map(entry => entry.contentTrust), followed?.contentTrust ?? 'trusted', ...tools.map(trustInWords)].reduce(meet),
    catalog,
    catalogDigest: catalogDigest(catalog),
    ask: catalog.some(tool => tool.name === defaults.ask) ? defaults.ask : null,
    limits: readLimits(defaults.limits, wish.limits),
    output: output === null ? null : { schema: output, mode: outputMode(ports) },
    providerTools: [...defaults.providerTools],
    approvers: [...approvers],
    labels: Object.fromEntries(Object.entries(labels).map(([name, text]) => [name, redact(text)])),
    key: key === null ? null : recordedKey(key, ports.redactor),
    follows,
    history: followed === null ? [] : (historyOf(followed) as unknown as Json[]),
    fork: null,
  }
}

/** Follows from the model's capability, never from the caller's wish (A2). */
function outputMode(ports: Ports): 'enforced' | 'prompted' {
  return ports.model?.capabilities.enforcedOutput === true ? 'enforced' : 'prompted'
}

/** What a turn reads by being shown a tool. One in quarantine is not shown. */
function trustInWords({ descriptor, descriptionTrust = 'trusted' }: Tool): ContentTrust {
  return descriptor.quarantined === undefined ? descriptionTrust : 'trusted'
}

/** What makes two spawns with one key the same: all that the caller chose. What the tools are at that moment is not his choice. */
function contentDigest(data: TurnOpened, tools: readonly string[] | null): string {
  const { principal, input, limits, output, approvers, labels, follows } = data
  const names = tools === null ? null : [...new Set(tools)].sort()
  const chosen = { principal, input, tools: names, limits, output, approvers, labels, follows }
  return createHash('sha256').update(canonicalJson(chosen)).digest('base64url')
}

/** The key as it stands in the record and in the row. One that holds a secret is known by its digest: two of them stay two. */
function recordedKey(key: string, redactor: Redactor): string {
  return redactor.text(key).changed ? `sha256:${createHash('sha256').update(key).digest('base64url')}` : key
}

/** Does not say the key, which may hold a secret. */
export function keyConflict(turnId: string): ToolturnError {
  return new ToolturnError('spawn_key_conflict', '', { turnId })
}
