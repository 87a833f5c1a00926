// Who may turn up: the acting person, an approver, a service, and a stranger who has the same id elsewhere.

import type { PrincipalInput, SpawnOptions } from '../../machines/runtime/api.ts'
import type { Via } from '../../machines/principal.ts'
import { ASK, KINDS } from './catalog.ts'
import type { Chance } from './chance.ts'

const ISSUER = 'https://id.example.com'
export const ACTING: PrincipalInput = { issuer: ISSUER, id: 'acting', kind: 'person', scopes: [] }
export const APPROVER: PrincipalInput = { issuer: ISSUER, id: 'approver', kind: 'person' }
export const SERVICE: PrincipalInput = { issuer: ISSUER, id: 'service', kind: 'service' }
const STRANGER: PrincipalInput = { issuer: 'https://other.example.com', id: 'acting', kind: 'person' }

export type Party = { readonly as: PrincipalInput; readonly via: Via }

/** Mostly the right one, by the right lane. @param approved somebody else than the acting person was listed */
export function drawParty(chance: Chance, approved = false): Party {
  return {
    as: chance.hit(0.75) ? (approved ? APPROVER : ACTING) : chance.one([APPROVER, APPROVER, SERVICE, STRANGER]),
    via: chance.hit(0.8) ? 'app' : chance.one(['mcp', 'link', 'delegate']),
  }
}

/** A turn that somebody opens. @param ended turns that it may follow */
export function drawSpawn(chance: Chance, index: number, ended: readonly string[]): SpawnOptions {
  const names = [...KINDS.map(kind => kind.name), ASK]
  const offered = chance.hit(0.6) ? names : names.filter(() => chance.hit(0.5))
  const entries = () => [
    { role: 'user' as const, text: 'First.', contentTrust: 'trusted' as const },
    { role: 'assistant' as const, text: 'Second.', contentTrust: chance.one(['trusted', 'untrusted'] as const) },
  ]
  return {
    input: chance.hit(0.7) ? 'Do it.' : entries(),
    principal: chance.one([ACTING, ACTING, ACTING, ACTING, ACTING, SERVICE, null]),
    tenant: chance.one(['default', 'default', 'acme']),
    labels: { conversation: `c-${index}` },
    tools: offered,
    ...(chance.hit(0.5) ? { key: `k-${index}` } : {}),
    ...(chance.hit(0.15) ? { output: { schema: OUTPUT } } : {}),
    ...(chance.hit(0.5) ? { approvers: [{ id: 'approver', issuer: ISSUER }] } : {}),
    ...(ended.length > 0 && chance.hit(0.5) ? { follows: chance.one(ended), tenant: 'default' } : {}),
  }
}

const OUTPUT = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }
