// Goal: both verbs of `lint`, run as the real program, print what they found and end with the code that says whether there are errors.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { Finding } from '../../adapters/lint/finding.ts'
import { CONFIG, errorOf, freshFolder, toolturn, type Ended } from '../cli/command.ts'
import { chat, user } from './histories.ts'
import { closed, DESCRIPTION, order } from './tools.ts'

const folder = freshFolder()

function fileOf(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const findingsOf = ({ stdout }: Ended): readonly Finding[] =>
  stdout
    .trimEnd()
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Finding)

const sound = fileOf('sound.json', JSON.stringify([user, chat.assistant(chat.call('a')), chat.tool('a')]))
const severed = fileOf(
  'severed.json',
  JSON.stringify([user, chat.assistant(chat.call('a\u001b[2J', '{}', 'find\u202e')), user, chat.tool('b', '')]),
)

/** What would steer a terminal. */
const RAW = ['\u001b', '\u202e']

describe('lint transcript', () => {
  test.concurrent('of a history that is whole ends with 0', async () => {
    expect(await toolturn(['lint', 'transcript', sound])).toEqual({
      code: 0,
      stdout: 'Found nothing in 3 messages (Chat Completions).\n',
      stderr: '',
    })
    expect(await toolturn(['lint', 'transcript', sound, '--json'])).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test.concurrent('of one that is not ends with 1, and names place, rule and how to mend it', async () => {
    const { code, stdout, stderr } = await toolturn(['lint', 'transcript', severed])
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(stdout).toMatch(
      /^PLACE +SEVERITY +FINDING +RULE +TOOL +WHAT\n\[1\]\.tool_calls\[0\] +error +call-without-result +B3 +find\\u\{202e\} /,
    )
    expect(stdout).toMatch(/\nHow to mend\n {2}call-without-result {2}Give every call exactly one result/)
    expect(stdout).toMatch(/\nFound 2 errors, 1 warning in 4 messages \(Chat Completions\)\.\n$/)
    for (const raw of RAW) expect(stdout).not.toContain(raw)
  })

  test.concurrent('prints one object a line with --json, and nothing else', async () => {
    const ended = await toolturn(['lint', 'transcript', severed, '--json'])
    expect(ended).toMatchObject({ code: 1, stderr: '' })
    expect(findingsOf(ended).map(({ finding, severity }) => [finding, severity])).toEqual([
      ['call-without-result', 'error'],
      ['result-without-call', 'error'],
      ['result-empty', 'warning'],
    ])
    for (const finding of findingsOf(ended))
      expect(Object.keys(finding)).toEqual(['severity', 'finding', 'rule', 'tool', 'path', 'what', 'mend'])
    for (const raw of RAW) expect(ended.stdout).not.toContain(raw)
  })

  test.concurrent('ends with 0 where there are warnings only', async () => {
    const empty = fileOf(
      'empty.jsonl',
      [user, chat.assistant(chat.call('a')), chat.tool('a', '')].map(line => JSON.stringify(line)).join('\n'),
    )
    const ended = await toolturn(['lint', 'transcript', empty, '--json'])
    expect(ended.code).toBe(0)
    expect(findingsOf(ended)).toMatchObject([{ finding: 'result-empty', path: 'line 3', tool: 'find' }])
  })

  test.concurrent('takes the format that is said', async () => {
    const ended = await toolturn(['lint', 'transcript', sound, '--format', 'anthropic', '--json'])
    expect(ended.code).toBe(1)
    expect(new Set(findingsOf(ended).map(({ finding }) => finding))).toEqual(new Set(['format-mixed']))
  })

  test.concurrent.each<[readonly string[], RegExp]>([
    [['lint', 'transcript'], /missing required argument 'file'/],
    [['lint', 'transcript', 'absent.json'], /absent\.json cannot be read/],
    [['lint', 'transcript', sound, '--format', 'yaml'], /anthropic, openai, mcp, toolturn/],
    [['lint', 'transcript', join(import.meta.dirname, 'command.test.ts')], /neither JSON nor lines of JSON/],
    [['lint', 'history', sound], /unknown command 'history'/],
  ])('%j is turned away', async (words, expected) => {
    const ended = await toolturn([...words, '--json'])
    expect(ended).toMatchObject({ code: 2, stdout: '' })
    expect(errorOf(ended)).toMatchObject({ code: 'option_invalid', message: expect.stringMatching(expected) })
  })
})

const toolModule = pathToFileURL(join(import.meta.dirname, '..', '..', 'adapters', 'tool.ts')).href
const toolText = (name: string, input: object, policy = 'read-only'): string =>
  `tool({ name: '${name}', description: '${DESCRIPTION}', input: ${JSON.stringify(input)}, replayPolicy: '${policy}', run: () => { throw new Error('ran') } })`
const moduleOf = (name: string, text: string): string => fileOf(name, `import { tool } from '${toolModule}'\n${text}`)

const clean = moduleOf('clean.mjs', `export const tools = [${toolText('find_order', closed({ order }, 'order'))}]`)

describe('lint tools', () => {
  test.concurrent('of tools without fault ends with 0, and states what they cost', async () => {
    const { code, stdout, stderr } = await toolturn(['lint', 'tools', clean])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      /^Found nothing in 1 tool\. The definitions take about \d+ tokens \(4 characters a token\) of every request\.\n$/,
    )
  })

  test.concurrent('groups what it finds by tool, and ends with 0 where there is no error', async () => {
    const { code, stdout } = await toolturn(['lint', 'tools', CONFIG])
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^find_order\n {2}warning {2}\/description {2}The description has 1 of at least 3 sentences\. \(description-short, G3\)\n/,
    )
    expect(stdout).toMatch(/\n\nrefund\n {2}warning/)
    expect(stdout.match(/Write three sentences or more/g)).toHaveLength(1)
  })

  test.concurrent.each<[string, string]>([
    ['a default list', `export default [${toolText('run', {})}]`],
    ['default options', `export default { tools: [${toolText('run', {})}] }`],
    ['a list by its name', `export const tools = [${toolText('run', {})}]`],
    ['plain descriptors', "export default [{ name: 'run', description: '', inputSchema: {} }]"],
  ])('reads %s', async (what, text) => {
    const ended = await toolturn(['lint', 'tools', moduleOf(`${what.replaceAll(' ', '-')}.mjs`, text), '--json'])
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(findingsOf(ended).map(({ finding, tool }) => [finding, tool])).toContainEqual(['name-says-nothing', 'run'])
  })

  test.concurrent('holds in its last line the catalog that a later run is held against', async () => {
    const before = moduleOf(
      'before.mjs',
      `export default [${toolText('find_order', closed({ order }))}, ${toolText('close_order', closed({ order }), 'idempotent')}]`,
    )
    const printed = await toolturn(['lint', 'tools', before, '--json'])
    expect(findingsOf(printed).at(-1)).toMatchObject({
      severity: 'info',
      finding: 'catalog',
      catalog: [{ name: 'find_order' }, { name: 'close_order' }],
    })
    const earlier = fileOf('before.jsonl', printed.stdout)
    const ended = await toolturn(['lint', 'tools', clean, '--against', earlier, '--json'])
    expect(ended.code).toBe(1)
    expect(findingsOf(ended).map(({ severity, finding, tool }) => [severity, finding, tool])).toEqual([
      ['error', 'parameter-required', 'find_order'],
      ['error', 'tool-removed', 'close_order'],
      ['info', 'catalog', null],
    ])
    expect(await toolturn(['lint', 'tools', before, '--against', earlier])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Found nothing in 2 tools/),
    })
  })

  test.concurrent("reads a catalog out of a turn's first event, and out of a list of descriptors", async () => {
    const catalog = [
      { name: 'close_order', description: DESCRIPTION, inputSchema: closed({}), replayPolicy: 'idempotent', contentTrust: 'untrusted' },
    ]
    const opened = { turnId: 't', version: 1, type: 'turn.opened', data: { runtime: 'default', catalog } }
    for (const [name, value] of [
      ['opened.json', opened],
      ['list.json', catalog],
      ['listed.json', { tools: catalog }],
    ] as const) {
      const ended = await toolturn(['lint', 'tools', clean, '--against', fileOf(name, JSON.stringify(value)), '--json'])
      expect(ended.code).toBe(1)
      expect(findingsOf(ended)[0]).toMatchObject({ finding: 'tool-removed', tool: 'close_order' })
    }
    expect(await toolturn(['lint', 'tools', join(folder, 'list.json')])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Found nothing/),
    })
  })

  test.concurrent('survives descriptors that cannot be used, and ends with 1', async () => {
    const depth = 20_000
    const hostile = fileOf('hostile.json', `[{"name":"find_order","inputSchema":${'{"not":'.repeat(depth)}{}${'}'.repeat(depth)}}]`)
    const ended = await toolturn(['lint', 'tools', hostile, '--json'])
    expect(ended).toMatchObject({ code: 1, stderr: '' })
    expect(findingsOf(ended).map(({ finding }) => finding)).toEqual(['description-short', 'schema-unusable', 'catalog'])
  })

  test.concurrent.each<[readonly string[], RegExp]>([
    [['lint', 'tools'], /missing required argument 'module'/],
    [['lint', 'tools', 'absent.js'], /absent\.js is not there/],
    [['lint', 'tools', moduleOf('none.mjs', 'export default 1')], /exports no tools/],
    [['lint', 'tools', moduleOf('wrong.mjs', 'export default [{ tool }]')], /not all tools/],
    [['lint', 'tools', clean, '--against', 'absent.json'], /absent\.json cannot be read/],
    [['lint', 'tools', clean, '--against', sound], /not all tools/],
    [['lint', 'tools', clean, '--against', fileOf('number.json', '7')], /holds no catalog/],
  ])('%j is turned away', async (words, expected) => {
    const ended = await toolturn([...words, '--json'])
    expect(ended).toMatchObject({ code: 2, stdout: '' })
    expect(errorOf(ended)).toMatchObject({ code: 'option_invalid', message: expect.stringMatching(expected) })
  })
})
