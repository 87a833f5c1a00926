// Runs the conformance suite of MCP against a server of ours and a client of ours, and writes infra/docs/mcp-conformance.md. Needs no net.
//
//   node infra/mcp-conformance.ts [--check] [server] [client]
//
// `--check` writes nothing, and may look at one side alone. Exits with 1 when a scenario that applies does not pass, or when the document
// says otherwise.

import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { OWN_PATH, whyNot } from './mcp-conformance/applies.ts'
import { renderConformance, renderSide, wrongWith, type Row } from './mcp-conformance/render.ts'
import { checksOf, scenarios, suiteVersion, TOP, type Checks, type Side } from './mcp-conformance/suite.ts'

const DOCUMENT = join(import.meta.dirname, 'docs', 'mcp-conformance.md')
const SERVER = join(import.meta.dirname, '../test/mcp/conformance-server.ts')
const CLIENT = join(import.meta.dirname, '../test/mcp/conformance-client.ts')
/** The suite gives each client so long. */
const CLIENT_MS = 60_000

async function serverChecks(): Promise<ReadonlyMap<string, Checks>> {
  const child = spawn(process.execPath, [SERVER], { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    const address = await firstLine(child.stdout)
    const checks = new Map(await checksOf('server', ['--url', `${address}/mcp`, '--suite', 'all']))
    for (const [scenario, path] of OWN_PATH) {
      const own = await checksOf('server', ['--url', `${address}${path}`, '--scenario', scenario])
      for (const [name, found] of own) checks.set(name, found)
    }
    return checks
  } finally {
    child.stdin.end()
  }
}

async function firstLine(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) return line
  throw new Error('the server ended before it listened')
}

/** One after the other: some of them look at the clock. */
async function clientChecks(): Promise<ReadonlyMap<string, Checks>> {
  const command = `"${process.execPath}" "${relative(TOP, CLIENT)}"`
  const checks = new Map<string, Checks>()
  for (const { name } of await scenarios('client')) {
    if (whyNot('client', name) !== null) continue
    const found = await checksOf('client', ['--command', command, '--scenario', name, '--timeout', String(CLIENT_MS)])
    checks.set(name, found.get(name) ?? { passed: 0, failed: 0 })
  }
  return checks
}

async function rowsOf(side: Side): Promise<readonly Row[]> {
  const checks = side === 'server' ? await serverChecks() : await clientChecks()
  const listed = await scenarios(side)
  return listed.map(scenario => ({ ...scenario, side, checks: checks.get(scenario.name) ?? null, whyNot: whyNot(side, scenario.name) }))
}

const checking = process.argv.includes('--check')
const sides = (['server', 'client'] as const).filter(side => !checking || process.argv.includes(side) || process.argv.at(-1) === '--check')
const rows: Row[] = []
for (const side of sides) rows.push(...(await rowsOf(side)))
const wrong = rows.flatMap(row => wrongWith(row) ?? [])
if (checking) {
  const document = readFileSync(DOCUMENT, 'utf8')
  const stale = sides.some(side => !document.includes(renderSide(side, rows)))
  if (stale) wrong.push('infra/docs/mcp-conformance.md is not up to date: run `node infra/mcp-conformance.ts`')
} else {
  writeFileSync(DOCUMENT, renderConformance(await suiteVersion(), rows))
}
for (const line of wrong) console.error(line)
process.exitCode = wrong.length === 0 ? 0 : 1
