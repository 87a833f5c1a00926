// How the turns of the walk begin: three tools that differ in what may run again, and a person for whom the turn acts.

import type { EventData } from '../../machines/events.ts'
import { DEFAULT_LIMITS } from '../../machines/limits.ts'
import type { Principal } from '../../machines/principal.ts'
import type { ContentTrust, ReplayPolicy, ToolDescriptor } from '../../machines/tool.ts'

export const ANA: Principal = { issuer: 'https://id.example.com', id: 'ana', kind: 'person', scopes: [] }
export const DEADLINE = '2026-01-02T00:00:00.000Z'

function descriptor(name: string, replayPolicy: ReplayPolicy, contentTrust: ContentTrust): ToolDescriptor {
  return {
    name,
    description: `The tool ${name}.`,
    inputSchema: { type: 'object' },
    replayPolicy,
    contentTrust,
    approval: replayPolicy === 'read-only' ? 'never' : 'when-untrusted',
    scopes: [],
    timeoutMs: 1000,
    tries: 1,
    version: 'v1',
  }
}

/** `look` only reads and gives untrusted results; `pay` may never run again; `ask_user` asks the person. */
const CATALOG: readonly ToolDescriptor[] = [
  descriptor('look', 'read-only', 'untrusted'),
  descriptor('pay', 'at-most-once', 'trusted'),
  descriptor('ask_user', 'read-only', 'trusted'),
]

export function opening(): EventData<'turn.opened'> {
  return {
    runtime: 'default',
    principal: ANA,
    input: [{ role: 'user', text: 'hello', contentTrust: 'trusted' }],
    contentTrust: 'trusted',
    catalog: [...CATALOG],
    catalogDigest: 'digest',
    ask: 'ask_user',
    limits: DEFAULT_LIMITS,
    output: null,
    providerTools: [{ name: 'web_search', replayPolicy: 'read-only' }],
    approvers: [],
    labels: {},
    key: null,
    follows: null,
    history: [],
    fork: null,
  }
}
