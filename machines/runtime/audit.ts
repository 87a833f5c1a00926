// What operators ask of the records: replay, verification, export, forks, and the documents about the runtime itself.

import { recordsWithoutBlob } from '../blobs.ts'
import { ToolturnError } from '../errors.ts'
import type { StoredEvent } from '../events.ts'
import { exportLines } from '../export.ts'
import type { Ports } from '../ports.ts'
import type { TurnRow } from '../ports/rows.ts'
import { replay } from '../replay.ts'
import { verifyAll, verifyTurn } from '../verify-store.ts'
import type { ReplayResult, Runtime, VerifyResult } from './api.ts'
import { readKnown, readTenant, readTime, readTurnId } from './door.ts'
import type { RuntimeOptions } from './runtime.ts'

export type Audit = Pick<Runtime, 'replay' | 'verify' | 'export'>

export function audit(ports: Ports, options: RuntimeOptions): Audit {
  return {
    replay: (turnId, wanted = {}) => replayTurn(ports, turnId, wanted, options.onReplayed),
    verify: async (turnId, given = {}): Promise<VerifyResult> => {
      const { tenant, onProgress } = readKnown('options', given, ['tenant', 'onProgress'])
      if (turnId !== undefined) return verifyTurn(ports.store, await rowOf(ports, turnId, tenant))
      return verifyAll(ports.store, tenant === undefined ? {} : { tenant: readTenant(tenant) }, onProgress)
    },
    export: what => exportLines(ports.store, readExport(what)),
  }
}

/** @throws ToolturnError `turn_not_found`, also where the turn is another tenant's */
export async function rowOf(ports: Ports, turnId: string, tenant: string | undefined): Promise<TurnRow> {
  const row = await ports.store.turn(readTurnId(turnId))
  if (row === null || (tenant !== undefined && row.tenant !== tenant)) throw new ToolturnError('turn_not_found', '', { turnId })
  return row
}

async function replayTurn(
  ports: Ports,
  turnId: string,
  wanted: NonNullable<Parameters<Runtime['replay']>[1]>,
  onReplayed: (event: StoredEvent) => void,
): Promise<ReplayResult> {
  const { attempt, at, tenant } = readKnown('options', wanted, ['attempt', 'at', 'tenant'])
  const row = await rowOf(ports, turnId, tenant)
  const events = await ports.store.read(turnId)
  return replay(events, {
    ...(attempt === undefined ? {} : { attempt }),
    ...(at === undefined ? { withoutBlob: await recordsWithoutBlob(events, ports) } : { at }),
    rowVersion: row.version,
    onServed: onReplayed,
  })
}

function readExport(what: Parameters<Runtime['export']>[0]): Parameters<typeof exportLines>[1] {
  readKnown('options', what, ['turnId', 'since', 'until', 'tenant'])
  if ('turnId' in what) return { ...what, turnId: readTurnId(what.turnId) }
  const { since, until, tenant } = what
  return {
    ...(since === undefined ? {} : { since: readTime('since', since) }),
    ...(until === undefined ? {} : { until: readTime('until', until) }),
    ...(tenant === undefined ? {} : { tenant: readTenant(tenant) }),
  }
}
