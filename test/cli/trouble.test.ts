// Goal: what goes wrong is told in its own words and with its own exit code: a call in doubt, a damaged stream, a store or a bus that
// cannot be used.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { expect, test, vi } from 'vitest'
import type { VerifyResult } from '../../machines/runtime/api.ts'
import { describeWithPostgres, describeWithServers, freshPrefix } from '../servers.ts'
import { CONFIG, errorOf, freshFolder, jsonOf, start, toolturn } from './command.ts'
import { programOn } from './program.ts'

describeWithPostgres('a call in doubt', postgres => {
  const { env, run, spawn, openStore } = programOn(postgres)

  test('fails the turn, is settled by an operator, and the same attempt goes on', async () => {
    await run('migrate')
    const turn = await spawn('crash')
    const died = await run('recover', turn, '--config', CONFIG)
    expect(died).toMatchObject({ code: null, stdout: '' })
    const opened = await openStore()
    await opened.retire((await opened.turn(turn))?.owner as string)
    await opened.close()
    const recovered = await run('recover', '--config', CONFIG, '--json')
    expect(recovered.code).toBe(1)
    expect(jsonOf(recovered)).toEqual({ driven: [{ turnId: turn, state: 'failed', code: 'tool_outcome_unknown' }] })
    expect(errorOf(await run('retry', turn, '--json'))).toMatchObject({ code: 'turn_not_retryable' })
    const file = join(freshFolder(), 'result.json')
    writeFileSync(file, '{"crashed": false}')
    expect(jsonOf(await run('settle', turn, '1', '--happened', file, '--json'))).toMatchObject({ settled: 'happened' })
    expect(errorOf(await run('settle', turn, '1', '--did-not-happen', '--json'))).toMatchObject({ code: 'call_not_in_doubt' })
    const ended = await toolturn(['recover', turn, '--config', CONFIG, '--json'], env)
    expect(jsonOf(ended)).toEqual({ driven: [{ turnId: turn, state: 'completed', code: null }] })
  })

  test('a worker that is told twice ends at once', async () => {
    const turn = await spawn('hang')
    const worker = start(['worker', '--config', CONFIG], env)
    const opened = await openStore()
    await vi.waitFor(async () => expect((await opened.turn(turn))?.tools).toEqual(['hang']), { timeout: 50_000, interval: 50 })
    await opened.close()
    worker.child.kill('SIGTERM')
    await worker.says('draining')
    worker.child.kill('SIGTERM')
    expect(await worker.ended).toMatchObject({ code: 1, stdout: '', stderr: expect.not.stringContaining('drained') })
  })

  test('a damaged stream says where it is damaged, and nothing is appended to it', async () => {
    const turn = await spawn('hello')
    await run('recover', turn, '--config', CONFIG)
    const opened = await openStore()
    await opened.damage(turn, 2)
    await opened.close()
    for (const words of [
      ['show', turn],
      ['events', turn],
      ['cancel', turn],
    ]) {
      const ended = await run(...words, '--json')
      expect(ended).toMatchObject({ code: 1, stdout: '' })
      expect(errorOf(ended)).toMatchObject({ code: 'illegal_history', turnId: turn, details: { version: 3, event: 'turn.completed' } })
    }
    const verified = await run('verify', turn, '--json')
    expect(verified.code).toBe(1)
    expect(jsonOf(verified)).toMatchObject({ ok: false })
    expect(jsonOf<VerifyResult>(verified).findings).toContainEqual(expect.objectContaining({ turnId: turn, version: 3 }))
    expect(jsonOf(await run('replay', turn, '--json'))).toMatchObject({ executions: 0, same: false })
  })
})

describeWithPostgres('a store that cannot be used', postgres => {
  test('because nobody answers', async () => {
    for (const words of [['list'], ['doctor'], ['migrate']]) {
      const ended = await toolturn([...words, '--store', 'postgres://ana:secret@127.0.0.1:1/x', '--json'])
      expect(ended.code).toBe(3)
      expect(`${ended.stdout}${ended.stderr}`).toContain('store_unreachable')
      expect(`${ended.stdout}${ended.stderr}`).not.toContain('secret')
    }
  })

  test('because its tables are not there', async () => {
    const { run } = programOn(postgres)
    const ended = await run('list', '--json')
    expect(ended).toMatchObject({ code: 3, stdout: '' })
    expect(errorOf(ended)).toMatchObject({ code: 'schema_unmigrated', exit: 3 })
    expect(jsonOf(await run('doctor', '--json'))).toMatchObject({ store: { reachable: false, code: 'schema_unmigrated' } })
  })

  test('because a newer version wrote it', async () => {
    const { run, schema } = programOn(postgres)
    await run('migrate')
    const client = new Client({ connectionString: postgres })
    await client.connect()
    await client.query(`insert into "${schema}".migrations (number, name) values (99, 'later')`)
    await client.end()
    for (const words of [['list'], ['migrate']]) {
      const ended = await run(...words, '--json')
      expect(ended).toMatchObject({ code: 3, stdout: '' })
      expect(errorOf(ended)).toMatchObject({ code: 'schema_newer' })
    }
  })
})

describeWithServers('doctor', ({ postgres, nats }) => {
  test('says what is reachable, and exits with 3 where the broker is not', async () => {
    const { run } = programOn(postgres)
    await run('migrate')
    const well = await run('doctor', '--bus', `${nats}?prefix=${freshPrefix()}`, '--json')
    expect(well.code).toBe(0)
    expect(jsonOf(well)).toMatchObject({ store: { migrated: true }, bus: { kind: 'nats', reachable: true } })
    const ill = await run('doctor', '--bus', 'nats://127.0.0.1:1', '--json')
    expect(ill.code).toBe(3)
    const { bus, problems } = jsonOf<{ bus: object; problems: string[] }>(ill)
    expect(bus).toMatchObject({ reachable: false })
    expect(problems).toContain('bus_unreachable: nats://127.0.0.1:1')
    expect(await run('doctor')).toMatchObject({ code: 0, stdout: expect.stringContaining('up to date'), stderr: '' })
  })
})
