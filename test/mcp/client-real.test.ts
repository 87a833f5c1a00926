// Goal: the reference servers work as they are, over standard output and over HTTP, and may be killed in the middle of a call.

import { once } from 'node:events'
import { readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { mcp } from '../../adapters/mcp/index.ts'
import { createRuntime, scripted } from '../../index.ts'
import { ANA, asks, ends, eventsOf, firstWords, play, recordedOf } from './client-stage.ts'
import { freePort, isAlive, LONG_SECONDS, MARKING, openDesk, programOf, startWeb, type Desk } from './real-server.ts'

const LIMIT_MS = 120_000
const LONG = asks(['trigger-long-running-operation', { duration: LONG_SECONDS, steps: 1 }])
const FREE = { approval: 'never' } as const

let desk: Desk
const open: { readonly close: () => Promise<void> }[] = []
beforeEach(() => {
  desk = openDesk()
})
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close()
  desk.clear()
})

async function overStdio(program: string, ...args: readonly string[]) {
  const source = await mcp({ name: 'real', command: process.execPath, args: [...MARKING, program, ...args], env: desk.env, defaults: FREE })
  open.push(source)
  return source
}

describe('the file system server, over standard output', () => {
  test('lists, writes and reads, and its refusals are results', { timeout: LIMIT_MS }, async () => {
    const folder = realpathSync(desk.folder)
    writeFileSync(join(folder, 'a.txt'), 'from the file')
    const source = await overStdio(programOf('filesystem'), folder)
    const { events, result, runtime } = await play(
      [source],
      [
        asks(['list_directory', { path: folder }]),
        asks(['write_file', { path: join(folder, 'b.txt'), content: 'from the model' }]),
        asks(['read_text_file', { path: join(folder, 'a.txt') }]),
        asks(['read_text_file', { path: '/etc/hostname' }]),
        asks(['read_text_file', { file: 'a.txt' }]),
      ],
    )
    expect(result.calls.map(({ outcome }) => outcome)).toEqual(['executed', 'executed', 'executed', 'executed', 'invalid'])
    const [listing, , read, outside] = recordedOf(events).map(recorded => recorded.result)
    expect(listing?.content[0]?.['text']).toContain('[FILE] a.txt')
    expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('from the model')
    expect(read).toMatchObject({ structuredContent: { content: 'from the file' } })
    expect(outside).toMatchObject({ isError: true })
    await runtime.close()
  })
})

describe('the everything server, over standard output', () => {
  test('gives images, links, resources and structured values as what they are', { timeout: LIMIT_MS }, async () => {
    const source = await overStdio(programOf('everything'))
    const { events, runtime } = await play(
      [source],
      [
        asks(['get-tiny-image']),
        asks(['get-resource-links', { count: 2 }]),
        asks(['get-structured-content', { location: 'Chicago' }]),
        asks(['get-resource-reference', { resourceType: 'Text', resourceId: 1 }]),
      ],
    )
    const results = recordedOf(events).map(({ result }) => result)
    expect(results.map(({ content }) => [...new Set(content.map(({ type }) => type))])).toEqual([
      ['text', 'image'],
      ['text', 'resource_link'],
      ['text'],
      ['text', 'resource'],
    ])
    expect(results[2]?.structuredContent).toMatchObject({ temperature: expect.any(Number) })
    await runtime.close()
  })

  test('is killed in the middle of a call: its effect is unknown, and the next call meets a new process', {
    timeout: LIMIT_MS,
  }, async () => {
    const source = await overStdio(programOf('everything'))
    const runtime = await createRuntime({ tools: [source], model: scripted([LONG, asks(['echo', { message: 'again' }]), ends]) })
    const turn = await runtime.spawn({ input: 'Go.', principal: ANA })
    const pid = await desk.busy()
    process.kill(pid, 'SIGKILL')
    const { state, version } = await turn.result()
    const events = await eventsOf(runtime, turn.id, version)
    expect(state).toBe('completed')
    expect(recordedOf(events).map(({ ended, tries }) => [ended, tries])).toEqual([
      ['thrown', 1],
      ['returned', 1],
    ])
    expect(firstWords(events)).toContain('effect is unknown')
    await runtime.close()
  })

  test('has no process left when the runtime is closed', { timeout: LIMIT_MS }, async () => {
    const source = await overStdio(programOf('everything'))
    const runtime = await createRuntime({ tools: [source], model: scripted([LONG]) })
    await runtime.spawn({ input: 'Go.', principal: ANA })
    const pid = await desk.busy()
    await runtime.close({ graceMs: 0 })
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 20_000)
  })
})

describe('the everything server, over HTTP', () => {
  test('is killed in the middle of a call and comes back', { timeout: LIMIT_MS }, async () => {
    const port = await freePort()
    const first = await startWeb(port, desk.env)
    const source = await mcp({ name: 'web', url: `http://127.0.0.1:${port}/mcp`, defaults: FREE })
    open.push(source)
    const runtime = await createRuntime({ tools: [source], model: scripted([LONG, ends]) })
    const turn = await runtime.spawn({ input: 'Go.', principal: ANA })
    expect(await desk.busy()).toBe(first.pid)
    first.kill('SIGKILL')
    await once(first, 'exit')
    const { version } = await turn.result()
    const events = await eventsOf(runtime, turn.id, version)
    expect(recordedOf(events)[0]).toMatchObject({ ended: 'thrown', tries: 1, result: { isError: true } })
    expect(firstWords(events)).toContain('effect is unknown')

    const second = await startWeb(port, desk.env)
    const after = await createRuntime({ tools: [source], model: scripted([asks(['echo', { message: 'again' }]), ends]) })
    const again = await after.spawn({ input: 'Go.', principal: ANA })
    expect((await again.result()).calls[0]).toMatchObject({ outcome: 'executed' })
    await after.close()
    second.kill('SIGKILL')
    await once(second, 'exit')
  })
})
