// Goal: what the README shows of doubts, forks, subscriptions, own models and configurations is files that run, and print what it says.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { jsonOf, toolturn } from '../cli/command.ts'
import { exampleBody, runExample, sectionBlocks, writeExample } from './examples.ts'

const { env } = process

describe.each([
  ['In doubt', 'in-doubt.ts'],
  ['Following turns', 'subscribe.ts'],
])('%s', (heading, name) => {
  test('is a file that prints what stands below it', async () => {
    expect(sectionBlocks(heading, 'ts')).toEqual([exampleBody(name)])
    const { stdout, stderr } = await runExample(name, env as Record<string, string>)
    expect(stderr).toBe('')
    expect([stdout]).toEqual(sectionBlocks(heading, 'text'))
  })
})

/** Answers one request after the other, the first with a failure that passes. */
const ANSWERS = [
  null,
  { stop: 'done', content: [{ id: 'a', name: 'find_order', arguments: '{"id":"42"}' }] },
  { stop: 'done', content: [{ text: 'A teapot.' }] },
]

test('A model of your own is a file that asks its server, again where that may help, and completes a turn', async () => {
  expect(sectionBlocks('A model of your own', 'ts')).toEqual([exampleBody('own-model.ts')])
  let asked = 0
  const server = createServer((_, response) => {
    const answer = ANSWERS[asked] ?? null
    asked += 1
    response.writeHead(answer === null ? 503 : 200).end(JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  try {
    await once(server, 'listening')
    const MODEL_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { stdout } = await runExample('own-model.ts', { ...(env as Record<string, string>), MODEL_URL })
    expect(stdout).toBe('completed: A teapot.\n')
    expect(asked).toBe(ANSWERS.length)
  } finally {
    server.close()
  }
})

test('A configuration is a module that the command line drives a turn with', async () => {
  expect(sectionBlocks('A configuration', 'ts')).toEqual([exampleBody('toolturn.config.ts')])
  const folder = mkdtempSync(join(tmpdir(), 'toolturn-config-'))
  try {
    const config = writeExample('toolturn.config.ts', folder)
    const words = ['spawn', '--store', 'memory:', '--config', config, '--input', 'What is in order 42?', '--json']
    expect(jsonOf(await toolturn(words))).toMatchObject({ state: 'completed', output: { text: 'A teapot.' } })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
