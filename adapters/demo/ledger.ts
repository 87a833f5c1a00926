// The write tool of the demo: a ledger in a database file of its own. At-most-once, and able to say what became of a dispatch
// after making sure that nothing more can (D6).

import { DatabaseSync } from 'node:sqlite'
import { tool } from '../tool.ts'
import type { CallContext, Tool } from '../../machines/tool.ts'

const TABLE = `create table if not exists transfers (
  invocation_id  text primary key,
  account        text not null,
  amount         real not null,
  reference      text not null,
  done_by        integer,                       -- the dispatch that wrote it; null while nothing is written
  voided_through integer not null default 0     -- dispatches up to this one can no longer write
)`

export type Transfer = { readonly account: string; readonly amount: number; readonly reference: string }
export type LedgerRow = Transfer & { readonly invocationId: string; readonly doneBy: number | null; readonly voidedThrough: number }

export type Ledger = {
  readonly tool: Tool
  readonly rows: () => readonly LedgerRow[]
  readonly close: () => void
}

/**
 * Opens the ledger.
 *
 * @param inTheMiddle awaited between the beginning of a transfer and its write, as a slow bank would be
 */
export function openLedger(file: string, inTheMiddle: (call: CallContext) => Promise<void>): Ledger {
  const db = new DatabaseSync(file)
  db.exec('pragma journal_mode = wal; pragma busy_timeout = 5000;')
  db.exec(TABLE)
  return {
    tool: transferTool(db, inTheMiddle),
    rows: () => readRows(db),
    close: () => db.close(),
  }
}

function transferTool(db: DatabaseSync, inTheMiddle: (call: CallContext) => Promise<void>): Tool {
  return tool({
    name: 'transfer',
    description:
      'Transfer money from the account of the user. Use it only when the user asked for a payment. Do not use it to look up past payments.',
    input: {
      type: 'object',
      properties: {
        account: { type: 'string', description: 'Account that is paid to.' },
        amount: { type: 'number', exclusiveMinimum: 0, description: 'Amount in euros.' },
        reference: { type: 'string', description: 'What the payee knows it by.' },
      },
      required: ['account', 'amount', 'reference'],
      additionalProperties: false,
    },
    replayPolicy: 'at-most-once',
    contentTrust: 'trusted',
    run: async (transfer, call) => {
      begin(db, call, transfer)
      await inTheMiddle(call)
      return { content: [{ type: 'text', text: write(db, call, transfer) }] }
    },
    reconcile: (transfer, call) => {
      begin(db, call, transfer)
      if (fence(db, call)) return 'did-not-happen'
      return { happened: { content: [{ type: 'text', text: receipt(transfer) }] } }
    },
  })
}

function begin(db: DatabaseSync, { invocationId }: CallContext, { account, amount, reference }: Transfer): void {
  db.prepare('insert into transfers (invocation_id, account, amount, reference) values (?, ?, ?, ?) on conflict do nothing').run(
    invocationId,
    account,
    amount,
    reference,
  )
}

/** Writes only where this dispatch was not voided and nothing is written yet. */
function write(db: DatabaseSync, { invocationId, dispatch }: CallContext, transfer: Transfer): string {
  const { changes } = db
    .prepare('update transfers set done_by = ? where invocation_id = ? and done_by is null and voided_through < ?')
    .run(dispatch, invocationId, dispatch)
  if (changes !== 1) throw new Error('This dispatch was voided; nothing was transferred.')
  return receipt(transfer)
}

/**
 * Voids the dispatch in doubt, in one statement with the look whether it wrote.
 *
 * @returns true when it had not written, and now never will
 */
function fence(db: DatabaseSync, { invocationId, dispatch }: CallContext): boolean {
  const { changes } = db
    .prepare('update transfers set voided_through = max(voided_through, ?) where invocation_id = ? and done_by is null')
    .run(dispatch, invocationId)
  return changes === 1
}

function receipt({ account, amount, reference }: Transfer): string {
  return `Transferred ${amount.toFixed(2)} EUR to ${account}, reference ${JSON.stringify(reference)}.`
}

function readRows(db: DatabaseSync): readonly LedgerRow[] {
  const rows = db.prepare('select * from transfers').all() as Record<string, string | number | null>[]
  return rows.map(row => ({
    invocationId: String(row['invocation_id']),
    account: String(row['account']),
    amount: Number(row['amount']),
    reference: String(row['reference']),
    doneBy: row['done_by'] === null ? null : Number(row['done_by']),
    voidedThrough: Number(row['voided_through']),
  }))
}
