// Goal: the words of the command line are understood or turned away with what was meant, its exit codes say what came of it, and
// nothing but what was asked for is on stdout. No server and no store is needed.

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { CONFIG, errorOf, freshFolder, inTerminal, jsonOf, start, toolturn, type Ended } from './command.ts'

const TURN = '0190a0b0-0000-7000-8000-000000000000'
const folder = freshFolder()

/** Writes a module for `--config`, in which `tool` is there. */
function moduleOf(name: string, text: string): string {
  const path = join(folder, name)
  const tool = pathToFileURL(join(import.meta.dirname, '..', '..', 'adapters', 'tool.ts')).href
  writeFileSync(path, `import { tool } from '${tool}'\n${text}`)
  return path
}

const sound = "{ name: 'a', description: '', input: {}, replayPolicy: 'read-only', run: () => 1 }"

describe('help', () => {
  test('of every verb has a sentence and an example', async () => {
    const { stdout, code } = await toolturn(['--help'])
    const verbs = [...(stdout.split('Commands:')[1] ?? '').matchAll(/^ {2}([a-z]+)\b/gm)].map(([, verb = '']) => verb)
    expect(code).toBe(0)
    expect(verbs.length).toBeGreaterThan(20)
    const pages = await Promise.all(
      verbs.filter(verb => verb !== 'help').map(verb => toolturn(verb === 'scenario' ? ['scenario', 'run', '--help'] : [verb, '--help'])),
    )
    for (const page of pages) {
      expect(page.code).toBe(0)
      expect(page.stdout).toMatch(/^Usage: toolturn .+\n\n[A-Z].+/)
      expect(page.stdout).toContain('\nExample:\n  $ toolturn ')
    }
  })

  test('is given where no verb is, on stderr', async () => {
    expect(await toolturn([])).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Commands:') })
    expect(await toolturn(['scenario'])).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Commands:') })
  })

  test('the version is that of the package', async () => {
    expect(await toolturn(['--version'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: '' })
  })
})

describe('wrong words', () => {
  test.concurrent.each<[readonly string[], RegExp]>([
    [['aprove'], /unknown command 'aprove' \(Did you mean approve\?\)/],
    [['list', '--stat', 'holding'], /unknown option '--stat'.*--state/],
    [['list', '--since', 'yesterday'], /--since.*ISO 8601/],
    [['list', '--outcome', 'done'], /--outcome.*executed/],
    [['list', '--store', 'mysql://x'], /store.*postgres:/],
    [['list', '--bus', 'amqp://x', '--store', 'memory:'], /bus.*nats:/],
    [['show', TURN, '--round', '1'], /--round goes with --messages/],
    [['approve', 'x', 'y'], /too many arguments/],
    [['approve', 'x', '--arguments', '{a: 1}'], /--arguments.*JSON/],
    [['answer', TURN], /--text or by --json/],
    [['settle', TURN, '1'], /--happened <file> or by --did-not-happen/],
    [['settle', TURN, '1', '--happened', 'absent.json'], /absent\.json cannot be read/],
    [['verify'], /a turn, a file, or --all/],
    [['export', TURN, '--since', '2026-01-01'], /one turn is exported, or those of a time/],
    [['explain', 'tool_outcome_unknwn'], /Did you mean tool_outcome_unknown/],
    [['worker'], /--config or --tools/],
  ])('%j is turned away with what was expected', async (words, expected) => {
    const { code, stdout, stderr } = await toolturn(words)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^toolturn: option_invalid: /)
    expect(stderr).toMatch(expected)
    expect(stderr).not.toMatch(/^ +at /m)
  })

  test('with --json the error is JSON on stderr, and stdout stays empty', async () => {
    const ended = await toolturn(['list', '--limit', 'many', '--json'])
    expect(ended).toMatchObject({ code: 2, stdout: '' })
    expect(errorOf(ended)).toMatchObject({ code: 'option_invalid', whoseMove: 'caller', exit: 2 })
  })

  test('a stack is printed only where it is asked for', async () => {
    expect((await toolturn(['list', '--limit', 'many', '--stack'])).stderr).toMatch(/^ +at /m)
  })
})

describe('the module of --config', () => {
  const work = (option: string, path: string): Promise<Ended> => toolturn(['worker', '--store', 'memory:', option, path, '--json'])

  test.concurrent.each<[string, string, string, RegExp]>([
    ['it is not there', '', '--config', /absent\.js is not there/],
    ['it exports no options', 'export default [1]', '--config', /default export of .* options of createRuntime/],
    ['its tools were not made by tool()', `export default { tools: [${sound}] }`, '--config', /tools are a list of tool/],
    ['its tools are no list', 'export default { tools: [] }', '--tools', /default export of .* list of tools/],
    ['it throws', "throw new Error('no credentials')", '--config', /could not be loaded: no credentials/],
    ['it is no code', 'export default {', '--config', /could not be loaded/],
    ['it has no model', `export default [tool(${sound})]`, '--tools', /model/],
  ])('is turned away where %s', async (_, text, option, expected) => {
    const ended = await work(option, text === '' ? 'absent.js' : moduleOf(`m${Math.random()}.mjs`, text))
    expect(ended).toMatchObject({ code: 2, stdout: '' })
    expect(errorOf(ended)).toMatchObject({ code: 'option_invalid', message: expect.stringMatching(expected) })
  })

  test.concurrent('names two tools alike', async () => {
    const ended = await work('--tools', moduleOf('twice.mjs', `export default [tool(${sound}), tool(${sound})]\nexport const model = {}`))
    expect(ended.code).toBe(2)
    expect(errorOf(ended)).toMatchObject({ code: 'tool_name_duplicate', details: { tool: 'a' } })
  })

  test.concurrent('has a tool that does not say whether it may run again', async () => {
    const ended = await work(
      '--config',
      moduleOf('policy.mjs', "export default { tools: [tool({ name: 'a', description: '', input: {}, run: () => 1 })] }"),
    )
    expect(ended.code).toBe(2)
    expect(errorOf(ended)).toMatchObject({ code: 'replay_policy_missing', details: { tool: 'a' } })
  })

  test.concurrent('is enough to run a turn in memory', async () => {
    const ended = await toolturn(['spawn', '--store', 'memory:', '--config', CONFIG, '--input', 'hello', '--label', 'a=1', '--json'])
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(jsonOf(ended)).toMatchObject({ state: 'completed', output: { text: 'There is nothing to do.' }, existing: false })
  })
})

describe('what needs no store', () => {
  test('the page of a code, and the list of them', async () => {
    expect(jsonOf(await toolturn(['explain', 'store_locked', '--json']))).toMatchObject({ code: 'store_locked', whoseMove: 'operator' })
    expect((await toolturn(['explain'])).stdout).toMatch(/^CODE .*\napproval_already_resolved /)
  })

  test('the charts', async () => {
    expect((await toolturn(['graph'])).stdout).toMatch(/^stateDiagram-v2\n/)
    expect(jsonOf(await toolturn(['graph', 'call', '--format', 'json']))).toMatchObject({ chart: 'call' })
    expect(jsonOf(await toolturn(['graph', 'call', '--json']))).toMatchObject({ chart: 'call' })
  })

  test('the SQL of the schema, under the name that the address gives it', async () => {
    const { stdout, code } = await toolturn(['migrate', '--print', '--store', 'postgres://127.0.0.1:1/x?schema=mine'])
    expect(code).toBe(0)
    expect(stdout).toContain('create schema if not exists "mine"')
  })
})

describe('scenario files', () => {
  const scenario = (name: string, expected: string) => {
    const path = join(folder, name)
    const model = { rounds: [{ stop: 'end', content: [{ text: 'done' }] }] }
    const turn = { principal: null, input: [{ role: 'user', text: 'x' }] }
    writeFileSync(path, JSON.stringify({ name, tools: {}, turn, model, expect: { state: expected } }))
    return path
  }

  test('are run, a line for each, and exit with 1 where one differs', async () => {
    const ended = await toolturn([
      'scenario',
      'run',
      '--store',
      'memory:',
      '--json',
      scenario('good.json', 'completed'),
      scenario('other.json', 'failed'),
    ])
    expect(ended.code).toBe(1)
    expect(
      ended.stdout
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line)),
    ).toMatchObject([
      { name: 'good.json', ok: true, differences: [] },
      { name: 'other.json', ok: false, differences: [{ expected: 'failed', actual: 'completed' }] },
    ])
  })

  test('that are broken are told with the place and the reason', async () => {
    const path = join(folder, 'broken.json')
    writeFileSync(path, '{ "name": 1 }')
    const { code, stdout } = await toolturn(['scenario', 'run', '--store', 'memory:', path])
    expect(code).toBe(2)
    expect(stdout).toMatch(/broken\.json at \/name must be string/)
  })
})

describe('what is not there or goes away', () => {
  test('a reader that stops reading ends the command without a word', async () => {
    const { child, ended } = start(['explain', '--json'])
    child.stdout?.destroy()
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
  })

  test('a broker that is away keeps no turn from its end', async () => {
    const ended = await toolturn([
      'spawn',
      '--store',
      'memory:',
      '--bus',
      'nats://127.0.0.1:1',
      '--config',
      CONFIG,
      '--input',
      'hello',
      '--json',
    ])
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('cannot be reached') })
    expect(jsonOf(ended)).toMatchObject({ state: 'completed' })
  })
})

describe('a terminal', () => {
  const spawn = ['spawn', '--store', 'memory:', '--config', CONFIG, '--input', 'refund']
  const noTerminal = spawnSync('script', ['--version']).status !== 0

  // Reason to skip: there is no `script` of util-linux, which gives a program a terminal.
  test.skipIf(noTerminal)('is shown what is being done, and colours but for those who want none', async () => {
    const { stdout } = await inTerminal(spawn)
    expect(stdout).toContain('\u001b[2Kcall.held  call 2 refund')
    expect((await inTerminal(['explain', 'internal'])).stdout).toContain('\u001b[1minternal')
    expect((await inTerminal(['explain', 'internal'], { NO_COLOR: '1' })).stdout).not.toContain('\u001b')
  })

  // Reason to skip: there is no `script` of util-linux, which gives a program a terminal.
  test.skipIf(noTerminal)('is shown neither where JSON is asked for', async () => {
    const { stdout } = await inTerminal([...spawn, '--json'])
    expect(stdout.replaceAll('\r\n', '\n')).toMatch(/^\{.*\}\n$/)
  })

  // Reason to skip: there is no `script` of util-linux, which gives a program a terminal.
  test.skipIf(noTerminal)('is where it takes a word of its own to state that a worker is dead', async () => {
    const settling = ['settle', TURN, '1', '--did-not-happen', '--store', 'memory:']
    expect(await inTerminal(settling)).toMatchObject({ code: 2, stdout: expect.stringContaining('--worker-is-dead') })
    expect(await inTerminal([...settling, '--worker-is-dead'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('turn_not_found'),
    })
    expect(await toolturn(settling)).toMatchObject({ code: 1, stderr: expect.stringContaining('turn_not_found') })
  })

  test('is what neither is for', async () => {
    expect(await toolturn(spawn)).toMatchObject({ code: 0, stderr: '', stdout: expect.not.stringContaining('\u001b') })
  })
})
