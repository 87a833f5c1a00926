// Goal: on the embedded store an acting verb drives the turn to rest and lets go of the folder, and a second process is told who
// has it. One folder for all tests: making one takes seconds.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { TurnResult } from '../../machines/runtime/api.ts'
import { CONFIG, errorOf, freshFolder, jsonOf, start, toolturn } from './command.ts'

const env = { TOOLTURN_STORE: `pglite:${join(freshFolder(), 'store')}` }
const run = (...words: readonly string[]) => toolturn(words, env)
const spawn = async (input: string) => jsonOf<TurnResult>(await run('spawn', '--config', CONFIG, '--input', input, '--json'))

test('where no store was made, what only reads or acts on a turn says so and makes none', async () => {
  const folder = join(freshFolder(), 'absent')
  const look = (...words: readonly string[]) => toolturn([...words, '--store', `pglite:${folder}`, '--json'])
  for (const ended of [await look('list'), await look('deny', 'an-approval')]) {
    expect(ended.code).toBe(3)
    expect(errorOf(ended)).toMatchObject({ code: 'store_unreachable', details: { folder } })
  }
  const examined = await look('doctor')
  expect(examined.code).toBe(3)
  expect(jsonOf(examined)).toMatchObject({ store: { reachable: false, code: 'store_unreachable' }, bus: { reachable: true } })
  expect(existsSync(folder)).toBe(false)
})

describe('the embedded store', () => {
  let held: TurnResult

  beforeAll(async () => {
    held = await spawn('refund 42')
  })

  test('spawn drives the turn to rest', () => {
    expect(held.state).toBe('holding')
    expect(held.calls).toMatchObject([
      { tool: 'find_order', outcome: 'executed' },
      { tool: 'refund', outcome: 'held' },
    ])
  })

  test('without a configuration a decision is stored and nothing is run', async () => {
    const ended = await run('approve', `${held.turnId}.2.1`, '--json')
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('Nothing drives this turn on') })
    expect(jsonOf(ended)).toMatchObject({ decision: 'granted', state: 'working' })
  })

  test('an acting verb drives the turn it acts on, and no other that is due', async () => {
    expect(await spawn('hello')).toMatchObject({ state: 'completed' })
    expect(jsonOf(await run('list', '--state', 'working', '--json'))).toMatchObject({ turns: [{ turnId: held.turnId }] })
  })

  test('recover goes on where it was left', async () => {
    const recovered = await run('recover', '--config', CONFIG, '--json')
    expect(jsonOf(recovered)).toEqual({ driven: [{ turnId: held.turnId, state: 'completed', code: null }] })
    expect(await run('recover', '--config', CONFIG)).toMatchObject({ code: 0, stdout: '' })
  })

  test('an answer with a configuration drives the turn to its end', async () => {
    const { turnId, state } = await spawn('ask me')
    expect(state).toBe('asking')
    expect(jsonOf(await run('answer', turnId, '--text', 'This one.', '--config', CONFIG, '--json'))).toMatchObject({
      decision: 'answered',
      state: 'completed',
      output: { text: 'Thank you.' },
    })
  })

  // The dead process keeps its lease for as long as it lasts.
  test('a tool that ends the process leaves a turn that the next command recovers', { timeout: 60_000 }, async () => {
    const died = await run('spawn', '--config', CONFIG, '--input', 'crash', '--json')
    expect(died).toEqual({ code: null, stdout: '', stderr: '' })
    const [turn] = jsonOf<{ turns: { turnId: string }[] }>(await run('list', '--tool', 'crash', '--json')).turns
    const recovered = await run('recover', turn?.turnId as string, '--config', CONFIG, '--json')
    expect(recovered.code).toBe(1)
    expect(jsonOf(recovered)).toMatchObject({ driven: [{ state: 'failed', code: 'tool_outcome_unknown' }] })
  })

  test('a second process is told who has the folder, and the first lets go of it when it ends', async () => {
    const worker = start(['worker', '--config', CONFIG], env)
    await worker.says('driving turns')
    const locked = await run('list', '--json')
    expect(locked).toMatchObject({ code: 3, stdout: '' })
    expect(errorOf(locked)).toMatchObject({ code: 'store_locked', details: { pid: worker.child.pid } })
    worker.child.kill('SIGINT')
    expect((await worker.ended).code).toBe(0)
    const store = { kind: 'embedded', reachable: true, turns: { open: 0 } }
    expect(jsonOf(await run('doctor', '--json'))).toMatchObject({ store, bus: { kind: 'memory' }, problems: [] })
    expect((await run('doctor')).stdout).toMatch(/unpublished +\d+ versions, kept until a broker is named/)
  })
})
