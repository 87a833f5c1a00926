// What people look at: lists of turns and the inbox, newest first, page by page from behind the last row.

import { sql, type Compilable, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely'
import { ToolturnError } from '../machines/errors.ts'
import type { ListFilter, TurnStateName } from '../machines/ports/rows.ts'
import type { Store } from '../machines/ports/store.ts'
import { toInstant, toLabels, toText } from './columns.ts'
import { rowsOf, type Database } from './database.ts'
import { isTurnId } from './door.ts'
import { repeatable } from './faults.ts'
import { APPROVAL_COLUMNS, toApproval, toTurn, TURN_COLUMNS } from './rows.ts'
import type { Tables } from './schema.ts'

const MOST_ROWS = 1000

export const ENDED: readonly TurnStateName[] = ['completed', 'refused', 'exhausted', 'cancelled', 'failed']

export function viewsOf(database: Database): Pick<Store, 'turn' | 'turnByKey' | 'list' | 'approvals' | 'approval'> {
  const { kysely } = database
  const rows = <Row>(query: Compilable<Row>) => repeatable(() => rowsOf(database, query))
  const turns = kysely.selectFrom('turns').select(TURN_COLUMNS)
  const inbox = kysely.selectFrom('approvals').select(APPROVAL_COLUMNS)
  return {
    turn: async turnId => {
      if (!isTurnId(turnId)) return null
      const [row] = await rows(turns.where('turn_id', '=', turnId))
      return row === undefined ? null : toTurn(row)
    },
    turnByKey: async (tenant, key) => {
      const [row] = await rows(turns.where('tenant', '=', tenant).where('key', '=', toText(key)))
      return row === undefined ? null : toTurn(row)
    },
    list: async filter => {
      const { limit, behind } = pageOf(filter)
      const found = await rows(
        turns
          .where(eb => eb.and([...conditions(eb, filter), ...olderThan('turns.opened_at', 'turns.turn_id', behind)]))
          .orderBy('turns.opened_at', 'desc')
          .orderBy('turns.turn_id', 'desc')
          .limit(limit + 1),
      )
      const page = found.slice(0, limit).map(toTurn)
      return { turns: page, next: nextOf(found.length > limit, page.at(-1), row => [row.openedAt, row.turnId]) }
    },
    approvals: async filter => {
      const { limit, behind } = pageOf(filter)
      const found = await rows(
        inbox
          .innerJoin('turns', 'turns.turn_id', 'approvals.turn_id')
          .where('approvals.settled', filter.settled === true ? 'is not' : 'is', null)
          .where(eb => eb.and([...conditions(eb, filter), ...olderThan('approvals.opened_at', 'approvals.approval_id', behind)]))
          .orderBy('approvals.opened_at', 'desc')
          .orderBy('approvals.approval_id', 'desc')
          .limit(limit + 1),
      )
      const page = found.slice(0, limit).map(toApproval)
      return { approvals: page, next: nextOf(found.length > limit, page.at(-1), row => [row.openedAt, row.approvalId]) }
    },
    approval: async approvalId => {
      if (approvalId.includes('\0')) return null
      const [row] = await rows(inbox.where('approval_id', '=', approvalId))
      return row === undefined ? null : toApproval(row)
    },
  }
}

/** The filter as conditions on the row of the turn. */
function conditions(eb: ExpressionBuilder<Tables, 'turns'>, filter: ListFilter): Expression<SqlBool>[] {
  const { tenant, state, labels, principal, tool, outcome, since, until, parked } = filter
  const all: Expression<SqlBool>[] = []
  if (tenant !== undefined) all.push(eb('turns.tenant', '=', toText(tenant)))
  if (state !== undefined) all.push(sql<SqlBool>`turns.state = any(${[...state]}::text[])`)
  if (labels !== undefined && Object.keys(labels).length > 0) {
    all.push(sql<SqlBool>`turns.labels @> ${toLabels(labels)}::text[] and turns.labels <> '{}'`)
  }
  if (principal !== undefined) all.push(eb('turns.principal_id', '=', toText(principal.id)))
  if (principal?.issuer !== undefined) all.push(eb('turns.principal_issuer', '=', toText(principal.issuer)))
  if (tool !== undefined) all.push(sql<SqlBool>`turns.tools @> ${[toText(tool)]}::text[]`)
  if (outcome !== undefined) all.push(sql<SqlBool>`turns.outcomes @> ${[outcome]}::text[]`)
  if (since !== undefined) all.push(eb('turns.opened_at', '>=', toInstant(since)))
  if (until !== undefined) all.push(eb('turns.opened_at', '<', toInstant(until)))
  if (parked !== undefined) all.push(eb('turns.parked', '=', parked))
  return all
}

type Place = readonly [openedAt: number, id: string]

function olderThan(time: string, id: string, behind: Place | null): Expression<SqlBool>[] {
  if (behind === null) return []
  const [openedAt, last] = behind
  return [sql<SqlBool>`(${sql.ref(time)}, ${sql.ref(id)}) < (${toInstant(openedAt)}::timestamptz, ${last})`]
}

/** @throws ToolturnError `option_invalid` */
function pageOf({ limit, cursor }: ListFilter): { limit: number; behind: Place | null } {
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_ROWS) {
    throw new ToolturnError('option_invalid', `A page has 1 to ${MOST_ROWS} rows.`, { limit })
  }
  if (cursor === undefined) return { limit, behind: null }
  const match = /^(-?\d{1,15}):([A-Za-z0-9_.-]{1,100})$/.exec(cursor)
  if (match === null) throw new ToolturnError('option_invalid', 'This is no cursor of a list.')
  return { limit, behind: [Number(match[1]), match[2] as string] }
}

function nextOf<Row>(more: boolean, last: Row | undefined, placeOf: (row: Row) => Place): string | null {
  return more && last !== undefined ? placeOf(last).join(':') : null
}
