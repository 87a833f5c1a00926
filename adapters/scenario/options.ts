// From a scenario to the options of a runtime: the same for the worker and for the desk.

import type { AskContext } from '../../machines/ports/model.ts'
import type { Store } from '../../machines/ports/store.ts'
import type { Policy } from '../../machines/ports/world.ts'
import type { Tool } from '../../machines/tool.ts'
import type { HostOptions } from '../host.ts'
import { lineLog } from '../log.ts'
import { scriptedModel, type AskRecord } from '../models/scripted.ts'
import { scriptedTool, type ExecutionRecord } from '../tools/scripted.ts'
import type { Activity } from './activity.ts'
import type { Scenario } from './format.ts'
import { entriesOf, type Ledger } from './ledger.ts'
import type { Plan } from './plan.ts'

/** @param read the types in the stream of a turn: what the policy goes by, so that it is of one mind in every process */
export function optionsOf(
  plan: Plan,
  ledger: Ledger,
  activity: Activity,
  read: Store['read'],
): Omit<HostOptions, 'tools'> & { readonly tools: readonly Tool[] } {
  const { scenario, name, hostKey } = plan
  const { tools, ask = '', turn, model } = scenario
  const { rounds, ...script } = model
  const record = executionRecord(ledger, activity)
  return {
    name,
    ask,
    model: scriptedModel(rounds, { ...script, output: turn.output?.mode ?? 'enforced' }, askRecord(ledger)),
    tools: Object.entries(tools).map(([tool, its]) => scriptedTool(tool, its, record)),
    providerTools: turn.providerTools ?? [],
    policy: policyOf(scenario, read),
    ...(hostKey === null ? {} : { key: hostKey }),
    log: lineLog(text => ledger.add({ kind: 'log', text })),
  }
}

function executionRecord(ledger: Ledger, activity: Activity): ExecutionRecord {
  const before = entriesOf(ledger, 'execution')
  const counts = new Map<string, number>()
  return {
    began: (tool, args, { ordinal, dispatch }) => {
      ledger.add({ kind: 'execution', tool, arguments: args, ordinal, dispatch, pid: process.pid })
      const count = (counts.get(tool) ?? before.filter(entry => entry.tool === tool).length) + 1
      counts.set(tool, count)
      return count
    },
    begins: activity.begin,
  }
}

function askRecord(ledger: Ledger): AskRecord {
  const failures = ({ attempt, round }: AskContext) =>
    entriesOf(ledger, 'failure').filter(entry => entry.attempt === attempt && entry.round === round).length
  return {
    asked: ({ attempt, round }, request) => ledger.add({ kind: 'request', attempt, round, request }),
    failed: ({ attempt, round }) => ledger.add({ kind: 'failure', attempt, round }),
    failures,
  }
}

/** Denied are the tools that the scenario names, and those it names for an event that is in the stream by now. */
function policyOf({ policy = {} }: Scenario, read: Store['read']): Policy {
  const { deny = [], changes = [] } = policy
  return async ({ tool }, { turnId }) => {
    if (deny.includes(tool)) return 'deny'
    const later = changes.filter(change => change.deny.includes(tool))
    if (later.length === 0) return 'allow'
    const types = new Set((await read(turnId)).map(event => event.type))
    return later.some(({ after }) => types.has(after)) ? 'deny' : 'allow'
  }
}
