// Runs the conformance suite of MCP against a server of ours and a client of ours, and writes infra/docs/mcp-conformance.md. Needs no net.
//
//   node infra/mcp-conformance.ts [--check]
//
// `--check` writes nothing. Exits with 1 when a scenario that applies does not pass, or, with `--check`, when the document says otherwise.

import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { OWN_PATH, whyNot } from './mcp-conformance/applies.ts'
import { renderConformance, wrongWith, type Row } from './mcp-conformance/render.ts'
import { checksOf, scenarios, suiteVersion, type Checks } from './mcp-conformance/suite.ts'

const TOP = join(import.meta.dirname, '..')
const DOCUMENT = join(TOP, 'infra', 'docs', 'mcp-conformance.md')
const SERVER = join(import.meta.dirname, '../test/mcp/conformance-server.ts')

async function serverRows(): Promise<readonly Row[]> {
  const child = spawn(process.execPath, [SERVER], { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    const address = await firstLine(child.stdout)
    const checks = new Map<string, Checks>(await checksOf('server', ['--url', `${address}/mcp`, '--suite', 'all']))
    for (const [scenario, path] of OWN_PATH) {
      const own = await checksOf('server', ['--url', `${address}${path}`, '--scenario', scenario])
      checks.set(scenario, own.get(scenario) ?? { passed: 0, failed: 0, warnings: 0 })
    }
    return (await scenarios('server')).map(scenario => rowOf('server', scenario, checks))
  } finally {
    child.stdin.end()
  }
}

function rowOf(side: Row['side'], scenario: { name: string; versions: string }, checks: ReadonlyMap<string, Checks>): Row {
  return { ...scenario, side, checks: checks.get(scenario.name) ?? null, whyNot: whyNot(side, scenario.name) }
}

async function firstLine(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) return line
  throw new Error('the server ended before it listened')
}

const rows = await serverRows()
const text = renderConformance(await suiteVersion(), rows)
const wrong = rows.flatMap(row => wrongWith(row) ?? [])
for (const line of wrong) console.error(line)
if (!process.argv.includes('--check')) writeFileSync(DOCUMENT, text)
else if (readFileSync(DOCUMENT, 'utf8') !== text)
  wrong.push('infra/docs/mcp-conformance.md is not up to date: run `node infra/mcp-conformance.ts`')
for (const line of wrong.slice(-1)) console.error(line)
process.exitCode = wrong.length === 0 ? 0 : 1
