// Goal: every verb does on a real Postgres what it says.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Event } from '../../machines/events.ts'
import type { ApprovalRow, TurnRow } from '../../machines/ports/rows.ts'
import type { Store } from '../../machines/ports/store.ts'
import type { TurnResult } from '../../machines/runtime/api.ts'
import { describeWithPostgres } from '../servers.ts'
import { CONFIG, errorOf, freshFolder, jsonOf, start, toolturn, type Started } from './command.ts'
import { HOSTILE } from './host.config.ts'
import { programOn, untilState } from './program.ts'

const STEERS = /(?!\n)\p{Cc}|\u202e/u

describeWithPostgres('the verbs', postgres => {
  const { env, run, spawn, openStore } = programOn(postgres)
  /** Three turns that wait for a decision, and one that asks. */
  let held: readonly string[]
  let asking: string
  let store: Store
  let worker: Started

  beforeAll(async () => {
    await run('migrate')
    store = await openStore()
    worker = start(['worker', '--config', CONFIG], env)
    held = [await spawn('refund 42', '--label', 'conversation=c-17', '--key', 'k'), await spawn('refund 42'), await spawn('refund 42')]
    asking = await spawn('ask me')
    for (const turn of held) await untilState(store, turn, 'holding')
    await untilState(store, asking, 'asking')
  })

  afterAll(() => store.close())

  test('migrate says what it did, and that there is nothing to do', async () => {
    expect(await run('migrate')).toMatchObject({ code: 0, stdout: expect.stringContaining('up to date') })
    const { applied } = jsonOf<{ applied: number[] }>(await programOn(postgres).run('migrate', '--json'))
    expect(applied[0]).toBe(1)
  })

  test('list filters and pages, newest first', async () => {
    const labelled = jsonOf<{ turns: TurnRow[] }>(await run('list', '--label', 'conversation=c-17', '--since', '2020-01-01', '--json'))
    expect(labelled.turns).toMatchObject([{ turnId: held[0], state: 'holding', openedAt: expect.stringMatching(/^\d{4}-.*Z$/) }])
    const first = jsonOf<{ turns: TurnRow[]; next: string }>(await run('list', '--limit', '3', '--json'))
    const rest = jsonOf<{ turns: TurnRow[] }>(await run('list', '--limit', '3', '--cursor', first.next, '--json'))
    expect([...first.turns, ...rest.turns].map(turn => turn.turnId).toSorted()).toEqual([...held, asking].toSorted())
    const { stdout } = await run('list', '--state', 'asking', '--outcome', 'held')
    expect(stdout).toBe('')
  })

  test('nothing of another tenant is found', async () => {
    expect(jsonOf(await run('list', '--tenant', 'other', '--json'))).toEqual({ turns: [], next: null })
    const shown = await run('show', held[0] as string, '--tenant', 'other', '--json')
    expect(shown).toMatchObject({ code: 1, stdout: '' })
    expect(errorOf(shown)).toMatchObject({ code: 'turn_not_found', turnId: held[0] })
  })

  test('spawn under a key that is taken gives its turn, and says so where the content differs', async () => {
    const again = await run('spawn', '--config', CONFIG, '--input', 'refund 42', '--label', 'conversation=c-17', '--key', 'k', '--json')
    expect(jsonOf(again)).toMatchObject({ existing: true, turnId: held[0] })
    const other = await run('spawn', '--config', CONFIG, '--input', 'refund 43', '--key', 'k', '--json')
    expect(other.code).toBe(1)
    expect(errorOf(other)).toMatchObject({ code: 'spawn_key_conflict', turnId: held[0] })
  })

  test('show, events and messages bring nothing to a terminal that steers it', async () => {
    const turn = held[0] as string
    const shown = await run('show', turn)
    expect(shown.stdout).toContain('call.held')
    expect(shown.stdout).toContain(`${turn}.2.1`)
    const messages = await run('show', turn, '--messages', '--json')
    const outputs = [shown, await run('events', turn), await run('show', turn, '--messages'), messages]
    for (const { code, stdout, stderr } of outputs) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).not.toMatch(STEERS)
      expect(stdout).toContain('owned')
    }
    expect(JSON.stringify(jsonOf(messages))).toContain(JSON.stringify(HOSTILE).slice(1, -1))
  })

  test('events --after leaves out what is known, and waits for nothing', async () => {
    const all = lines<Event>(await run('events', asking, '--json'))
    expect(all.map(event => event.version)).toEqual(all.map((_, index) => index + 1))
    const { version } = all.at(-1) as Event
    expect(lines<Event>(await run('events', asking, '--after', String(version - 1), '--json'))).toEqual(all.slice(-1))
    expect(await run('events', asking, '--after', String(version))).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('a decision is taken once; the turn goes on to its end, and whoever follows it sees it end', async () => {
    const [granted = '', denied = ''] = held
    const followed = start(['events', granted, '--follow', '--json'], env)
    await followed.says('call.held')
    const waiting = jsonOf<{ approvals: ApprovalRow[] }>(await run('approvals', '--tool', 'refund', '--json')).approvals
    expect(waiting.map(row => row.turnId).toSorted()).toEqual([...held].toSorted())
    expect(jsonOf(await run('approve', `${granted}.2.1`, '--arguments', '{"id":"43"}', '--json'))).toMatchObject({ decision: 'granted' })
    expect(await run('deny', `${denied}.2.1`, '--reason', 'too old')).toMatchObject({ code: 0, stdout: expect.stringContaining('denied') })
    expect(await run('answer', asking, '--json', '{"id":"42"}')).toMatchObject({ code: 0, stdout: expect.stringContaining('answered') })
    for (const turn of [granted, denied, asking]) await untilState(store, turn, 'completed')
    const { code, stdout } = await followed.ended
    expect(code).toBe(0)
    expect(stdout.trimEnd().split('\n').at(-1)).toContain('"turn.completed"')
    expect(stdout).toContain('"refunded":"43"')
    const again = await run('approve', `${granted}.2.1`, '--json')
    expect(again.code).toBe(1)
    expect(errorOf(again)).toMatchObject({ code: 'approval_already_resolved', details: { decision: 'granted' } })
    expect(errorOf(await run('approve', 'none', '--json'))).toMatchObject({ code: 'approval_not_found' })
    expect(errorOf(await run('answer', asking, '--text', 'x', '--json'))).toMatchObject({ code: 'approval_already_resolved' })
  })

  test('cancel ends a turn, and retry starts it over', async () => {
    const turn = held[2] as string
    expect((await run('cancel', turn)).code).toBe(0)
    await untilState(store, turn, 'cancelled')
    expect(jsonOf(await run('retry', turn, '--json'))).toMatchObject({ attempt: 2 })
    await untilState(store, turn, 'holding')
    expect(errorOf(await run('retry', turn, '--json'))).toMatchObject({ code: 'turn_not_retryable' })
    const settled = jsonOf<{ approvals: ApprovalRow[] }>(await run('approvals', '--settled', '--json')).approvals
    expect(settled.map(row => row.settled)).toContain('closed')
  })

  test('replay executes nothing and is the same; verify finds everything whole', async () => {
    const replayed = jsonOf(await run('replay', held[0] as string, '--json'))
    expect(replayed).toMatchObject({ state: 'completed', executions: 0, divergence: null, same: true })
    expect(jsonOf(await run('replay', held[0] as string, '--at', '3', '--json'))).toMatchObject({ divergence: null, missing: null })
    expect(jsonOf(await run('verify', held[0] as string, '--json'))).toMatchObject({ ok: true, turns: 1 })
    expect(jsonOf(await run('verify', '--all', '--json'))).toMatchObject({ ok: true, turns: 4, findings: [] })
  })

  test('fork opens a turn that shares the beginning', async () => {
    const forked = jsonOf<TurnResult & { from: string }>(await run('fork', held[0] as string, '--at', '5', '--json'))
    expect(forked).toMatchObject({ from: held[0], at: 5 })
    expect(forked.turnId).not.toBe(held[0])
  })

  test('an export is verified without a store; one that was changed is refused', async () => {
    const file = join(freshFolder(), 'audit.jsonl')
    const written = await run('export', held[0] as string, '--out', file)
    expect(written).toMatchObject({ code: 0, stdout: '' })
    const events = (text: string) => text.split('\n').filter(line => line.startsWith('{"event"'))
    expect(events((await run('export', held[0] as string)).stdout)).toEqual(events(readFileSync(file, 'utf8')))
    const nowhere = { TOOLTURN_STORE: 'postgres://127.0.0.1:1/x' }
    expect(jsonOf(await toolturn(['verify', file, '--json'], nowhere))).toMatchObject({ ok: true, turns: 1 })
    writeFileSync(file, readFileSync(file, 'utf8').replace('"42"', '"43"'))
    const changed = await toolturn(['verify', file, '--json'], nowhere)
    expect(changed).toMatchObject({ code: 1, stdout: '' })
    expect(errorOf(changed)).toMatchObject({ code: 'export_invalid' })
  })

  test('a worker that is told to stop drains, and says on stderr what it does', async () => {
    worker.child.kill('SIGTERM')
    const { code, stdout, stderr } = await worker.ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toMatch(/driving turns[^]+draining[^]+drained/)
  })
})

function lines<T>({ stdout }: { readonly stdout: string }): T[] {
  return stdout
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as T)
}
