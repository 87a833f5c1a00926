// Where the tools of these tests have their effects, and where it is written down what really ran: a database file that every
// process writes before it goes on, so what a killed worker did is known. The fence stands here too, as D6 asks.

import { DatabaseSync } from 'node:sqlite'
import type { CallContext } from '../../machines/tool.ts'

const TABLES = `
create table if not exists asks (plan text not null, round integer not null, pid integer not null);
create table if not exists runs (
  plan text not null, tool text not null, invocation text not null, dispatch integer not null, pid integer not null);
create table if not exists deeds (plan text not null, invocation text not null, dispatch integer not null);
create table if not exists fences (invocation text primary key, voided_through integer not null);`

const VOID = `insert into fences values (?, ?)
  on conflict (invocation) do update set voided_through = max(voided_through, excluded.voided_through)`

/** A tool that began to run. */
export type Run = Deed & { readonly tool: string; readonly pid: number }
/** Something that a tool did to the world. */
export type Deed = { readonly plan: string; readonly invocation: string; readonly dispatch: number }
export type Ask = { readonly plan: string; readonly round: number; readonly pid: number }

export type Effects = {
  /** The model was asked. */
  readonly asked: (plan: string, round: number) => void
  /** A tool began to run. */
  readonly ran: (tool: string, call: CallContext) => void
  /** Does it, however often it was done before. */
  readonly act: (call: CallContext) => void
  /** Does it where nothing was done under this key. */
  readonly actOnce: (call: CallContext) => void
  /** Does it where nothing was done under this key and this dispatch was not voided. @returns whether it is done now */
  readonly actFenced: (call: CallContext) => boolean
  /** Voids this dispatch and those before it. @returns whether one of them had done it by then */
  readonly fence: (call: CallContext) => boolean
  readonly asks: () => readonly Ask[]
  readonly runs: () => readonly Run[]
  readonly deeds: () => readonly Deed[]
  readonly close: () => void
}

/** The plan that a call belongs to, as its turn is labelled. */
export function planOf({ labels }: Pick<CallContext, 'labels'>): string {
  return labels['plan'] ?? ''
}

export function openEffects(file: string): Effects {
  const db = new DatabaseSync(file)
  db.exec('pragma busy_timeout = 30000; pragma journal_mode = wal; pragma synchronous = off;')
  db.exec(TABLES)
  const done = ({ invocationId }: CallContext) => db.prepare('select 1 from deeds where invocation = ?').get(invocationId) !== undefined
  const act = (call: CallContext) =>
    void db.prepare('insert into deeds values (?, ?, ?)').run(planOf(call), call.invocationId, call.dispatch)
  const whole = <T>(work: () => T): T => {
    db.exec('begin immediate')
    try {
      return work()
    } finally {
      db.exec('commit')
    }
  }
  return {
    asked: (plan, round) => void db.prepare('insert into asks values (?, ?, ?)').run(plan, round, process.pid),
    ran: (tool, call) =>
      void db.prepare('insert into runs values (?, ?, ?, ?, ?)').run(planOf(call), tool, call.invocationId, call.dispatch, process.pid),
    act,
    actOnce: call => whole(() => void (done(call) || act(call))),
    actFenced: call =>
      whole(() => {
        if (!done(call) && voidedThrough(db, call) < call.dispatch) act(call)
        return done(call)
      }),
    fence: call =>
      whole(() => {
        db.prepare(VOID).run(call.invocationId, call.dispatch)
        return done(call)
      }),
    asks: () => db.prepare('select * from asks order by rowid').all() as Ask[],
    runs: () => db.prepare('select * from runs order by rowid').all() as Run[],
    deeds: () => db.prepare('select * from deeds order by rowid').all() as Deed[],
    close: () => db.close(),
  }
}

function voidedThrough(db: DatabaseSync, { invocationId }: CallContext): number {
  const row = db.prepare('select voided_through from fences where invocation = ?').get(invocationId)
  return Number(row?.['voided_through'] ?? 0)
}
