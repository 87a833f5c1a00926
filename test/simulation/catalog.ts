// The tools of a run: every replay policy, with and without a fence, each with rules drawn by chance.

import { tool } from '../../adapters/tool.ts'
import type { JsonObject } from '../../machines/json.ts'
import type { ApprovalRule, Tool } from '../../machines/tool.ts'
import type { Chance } from './chance.ts'
import type { ToolKind } from './effects.ts'
import type { Plan } from './plan.ts'

export const ASK = 'ask_user'

export const KINDS: readonly ToolKind[] = [
  { name: 'read_mail', policy: 'read-only', fences: false },
  { name: 'read_order', policy: 'read-only', fences: false },
  { name: 'put_note', policy: 'idempotent', fences: false },
  { name: 'put_label', policy: 'idempotent', fences: true },
  { name: 'pay', policy: 'at-most-once', fences: false },
  { name: 'refund', policy: 'at-most-once', fences: true },
]

const PLAIN = {
  type: 'object',
  properties: { id: { type: 'integer' }, note: { type: 'string', default: 'none' } },
  required: ['id'],
  additionalProperties: false,
}
const WITH_SECRET = { ...PLAIN, properties: { ...PLAIN.properties, token: { type: 'string', writeOnly: true } } }
const QUESTION = { type: 'object', properties: { question: { type: 'string' } }, required: ['question'] }

/** What a process does when a tool runs, or is asked what became of a dispatch. */
export type Doing = {
  readonly run: (kind: ToolKind) => Tool['run']
  readonly reconcile: (kind: ToolKind) => NonNullable<Tool['reconcile']>
}

/** The same descriptors for every process of a run, but for one of another release, over what this one does. */
export function catalogOf(plan: Plan, chance: Chance, drift: Exclude<Plan['drift'], 'gone'>, doing: Doing): readonly Tool[] {
  const tools = KINDS.map(kind => {
    const reads = kind.policy === 'read-only'
    return tool({
      name: kind.name,
      description: drift === 'changed' && kind.name === 'pay' ? 'Pays in another way.' : `Does ${kind.name}.`,
      input: plan.secrets === 'none' || reads ? PLAIN : WITH_SECRET,
      replayPolicy: kind.policy,
      contentTrust: chance.one(['trusted', 'untrusted']),
      approval: reads && chance.hit(0.8) ? 'never' : chance.one(['never', 'when-untrusted', 'when-untrusted', 'always', byArguments]),
      timeoutMs: chance.one([300, 2_000, 10_000]),
      tries: chance.from(1, 3),
      ...(chance.hit(0.2) ? { recordBytes: chance.one([50, 300]) } : {}),
      run: doing.run(kind),
      ...(kind.fences ? { reconcile: doing.reconcile(kind) } : {}),
    })
  })
  const ask = tool({
    name: ASK,
    description: 'Asks the person.',
    input: QUESTION,
    replayPolicy: 'read-only',
    run: () => 'the host asks instead',
  })
  return [...tools.filter(({ descriptor }) => drift !== 'lacks' || descriptor.name !== 'refund'), ask]
}

function byArguments({ id }: JsonObject): ApprovalRule {
  return id === 1 ? 'always' : 'never'
}
