// Opening a turn: everything uncertain about it settled, its catalog and limits frozen, in one durable event.

import { createHash } from 'node:crypto'
import { Buffer } from 'node:buffer'
import { chain, GENESIS } from '../chain.ts'
import { ToolturnError } from '../errors.ts'
import type { FactOf } from '../events.ts'
import type { Input, ProviderTool, TurnOpened } from '../events/turn.ts'
import { fold, parseEvent } from '../fold.ts'
import { historyOf } from '../history.ts'
import { canonicalJson, type Json } from '../json.ts'
import type { LimitOptions } from '../limits.ts'
import type { Ports } from '../ports.ts'
import type { OpenTurn } from '../ports/store.ts'
import { actingPerson, type Principal } from '../principal.ts'
import { project } from '../projection.ts'
import { meet } from '../remember.ts'
import { hasEnded, type TurnState } from '../state.ts'
import { isoTime } from '../time.ts'
import { catalogDigest, type ContentTrust } from '../tool.ts'
import type { InputEntry, SpawnOptions } from './api.ts'
import { offered } from './catalog.ts'
import { readApprovers, readKey, readLabels, readLimits, readPrincipal, readTenant, refuse } from './door.ts'

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
  options: SpawnOptions,
  defaults: SpawnDefaults,
  followed: TurnState | null,
  ports: Ports,
  worker: string,
  owner: string | null,
): Opening {
  const tenant = readTenant(options.tenant)
  const data = turnOpened(options, defaults, followed, ports)
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
    contentDigest: contentDigest(data),
    labels: data.labels,
    principal: data.principal,
    offers: data.catalog.map(tool => tool.name),
    turnKey: ports.random.bytes(32),
    events,
    projection: project(state),
    owner,
  }
  return { turn, state }
}

function turnOpened(options: SpawnOptions, defaults: SpawnDefaults, followed: TurnState | null, ports: Ports): TurnOpened {
  const principal = options.principal === null ? null : readPrincipal('principal', options.principal)
  const input = readInput(options.input, principal)
  if (followed !== null && !hasEnded(followed)) refuse('follows', 'a turn that has ended')
  const catalog = offered(ports.tools, options.tools)
  return {
    runtime: defaults.runtime,
    principal,
    ...(defaults.system === undefined ? {} : { system: defaults.system }),
    input: input.map(entry => ({ ...entry, text: ports.redactor.text(entry.text).text })),
    contentTrust: [...input.map(entry => entry.contentTrust), followed?.contentTrust ?? 'trusted'].reduce(meet),
    catalog,
    catalogDigest: catalogDigest(catalog),
    ask: catalog.some(tool => tool.name === defaults.ask) ? defaults.ask : null,
    limits: readLimits(defaults.limits, options.limits),
    output: options.output === undefined ? null : { schema: options.output.schema, mode: outputMode(ports) },
    providerTools: [...defaults.providerTools],
    approvers: readApprovers(options.approvers, principal),
    labels: readLabels(options.labels),
    key: readKey(options.key),
    follows: options.follows ?? null,
    history: followed === null ? [] : (historyOf(followed) as unknown as Json[]),
    fork: null,
  }
}

/** Follows from the model's capability, never from the caller's wish (A2). */
function outputMode(ports: Ports): 'enforced' | 'prompted' {
  return ports.model?.capabilities.enforcedOutput === true ? 'enforced' : 'prompted'
}

const ROLES = ['system', 'user', 'assistant']
const TRUSTS = ['trusted', 'untrusted']

/** A plain string is what the acting person typed; entries without a mark are untrusted (C1). */
function readInput(input: SpawnOptions['input'], principal: Principal | null): Input[] {
  if (typeof input === 'string') {
    const contentTrust: ContentTrust = actingPerson(principal) === null ? 'untrusted' : 'trusted'
    return [{ role: 'user', text: input, contentTrust }]
  }
  if (!Array.isArray(input) || input.length === 0) refuse('input', 'a text, or a list of { role, text, contentTrust? }')
  return (input as readonly InputEntry[]).map(({ role, text, contentTrust = 'untrusted' }, index) => {
    if (!ROLES.includes(role)) refuse(`input[${index}].role`, ROLES.join(', '))
    if (typeof text !== 'string') refuse(`input[${index}].text`, 'a text')
    if (!TRUSTS.includes(contentTrust)) refuse(`input[${index}].contentTrust`, TRUSTS.join(', '))
    return { role, text, contentTrust }
  })
}

/** What makes two spawns with one key the same: all that the caller chose. */
function contentDigest(data: TurnOpened): string {
  const { principal, input, catalogDigest: catalog, limits, output, approvers, labels, follows } = data
  const chosen = { principal, input, catalog, limits, output, approvers, labels, follows }
  return createHash('sha256').update(canonicalJson(chosen)).digest('base64url')
}

/** @throws ToolturnError `spawn_key_conflict` */
export function keyConflict(key: string | undefined, turnId: string): ToolturnError {
  return new ToolturnError('spawn_key_conflict', '', { turnId, key: key ?? null })
}
