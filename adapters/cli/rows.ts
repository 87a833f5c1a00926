// Rows as they are printed in JSON: their times in ISO 8601.

import type { ApprovalRow, TurnRow } from '../../machines/ports/rows.ts'
import { isoTime } from '../../machines/time.ts'

export function turnJson(row: TurnRow): object {
  const { wakeAt, openedAt, updatedAt } = row
  return { ...row, wakeAt: wakeAt === null ? null : isoTime(wakeAt), openedAt: isoTime(openedAt), updatedAt: isoTime(updatedAt) }
}

export function approvalJson(row: ApprovalRow): object {
  return { ...row, openedAt: isoTime(row.openedAt), expiresAt: isoTime(row.expiresAt) }
}
