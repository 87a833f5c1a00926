// Goal: nobody changes by accident what programs import and scripts call.
//
// Typed by hand, never imported. When a pin goes red: what was added is added here, in the same commit; what was renamed or removed
// breaks programs that are not ours, so keep the old name beside the new one for a release and say so in CHANGELOG.md.

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { builtEntries, readPackage, sourceOf } from './reach.ts'
import { TOP } from './source.ts'

/** Values that each public entry exports, in alphabetic order. */
const EXPORTS: Readonly<Record<string, readonly string[]>> = {
  '.': [
    'DEFAULT_LIMITS',
    'ERROR_PAGES',
    'EVENT_SCHEMAS',
    'EVENT_TYPES',
    'ToolturnError',
    'checkTranscript',
    'createRuntime',
    'folderBlobs',
    'lineLog',
    'lintCatalog',
    'memory',
    'noBus',
    'scripted',
    'tool',
  ],
  './postgres': ['migratePostgres', 'openPostgres', 'postgres'],
  './nats': ['nats'],
  './embedded': ['embedded', 'openEmbedded'],
  './anthropic': ['anthropic'],
  './openai': ['openai', 'openaiChat'],
  './ai-sdk': ['aiSdk', 'fromAiSdk'],
  './openai-agents': ['fromOpenAiAgents'],
  './mcp': ['mcp', 'mcpServer'],
  './testing': [
    'callChart',
    'chartGraph',
    'fold',
    'graphOf',
    'memoryBroker',
    'memoryBus',
    'memoryDatabase',
    'parseEvent',
    'pending',
    'readScenario',
    'runScenario',
    'scripted',
    'startOf',
    'step',
    'stepChart',
    'turnChart',
  ],
}

const RUNTIME_VERBS = [
  'answer',
  'approvals',
  'approve',
  'cancel',
  'capabilities',
  'close',
  'decide',
  'deny',
  'doctor',
  'effectSeams',
  'events',
  'export',
  'fork',
  'get',
  'list',
  'messages',
  'name',
  'recover',
  'replay',
  'result',
  'retry',
  'settle',
  'show',
  'spawn',
  'subscribe',
  'verify',
]

const COMMAND_VERBS = [
  'answer',
  'approvals',
  'approve',
  'cancel',
  'demo',
  'deny',
  'doctor',
  'events',
  'explain',
  'export',
  'fork',
  'graph',
  'help',
  'lint',
  'list',
  'migrate',
  'recover',
  'replay',
  'retry',
  'scenario',
  'settle',
  'show',
  'spawn',
  'verify',
  'worker',
]

const manifest = readPackage()
const entries = builtEntries(manifest)

describe('the library', () => {
  test('opens these entries', () => {
    expect([...entries.keys()].toSorted()).toEqual(Object.keys(EXPORTS).toSorted())
  })

  test.each(Object.entries(EXPORTS))('%s exports', async (entry, names) => {
    const exported = await load(entries.get(entry) ?? 'dist/index.js')
    expect(Object.keys(exported).toSorted()).toEqual([...names].toSorted())
  })

  test('a runtime has these verbs', async () => {
    const { createRuntime } = await load('dist/index.js')
    const runtime = await (createRuntime as (options: object) => Promise<{ close: () => Promise<void> }>)({ drive: false })
    await runtime.close()
    expect(Object.keys(runtime).toSorted()).toEqual(RUNTIME_VERBS)
  })
})

describe('the command line', () => {
  test('has these verbs', () => {
    const help = execFileSync(process.execPath, [join(TOP, 'adapters', 'cli', 'main.ts'), '--help'], { encoding: 'utf8' })
    const verbs = [...(help.split('Commands:')[1] ?? '').matchAll(/^ {2}([a-z]+)\b/gm)].map(([, verb = '']) => verb)
    expect(verbs.toSorted()).toEqual(COMMAND_VERBS)
  })

  test('has these scripts', () => {
    expect(Object.keys(manifest.scripts ?? {})).toEqual(expect.arrayContaining(['bench', 'demo', 'lint', 'prepare', 'test', 'types']))
  })
})

/** The source of a built entry, as a program would see it. */
async function load(built: string): Promise<Record<string, unknown>> {
  return (await import(join(TOP, sourceOf(built)))) as Record<string, unknown>
}
