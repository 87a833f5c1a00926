// The results of the suite as a document.

import type { Checks, Scenario, Side } from './suite.ts'

export type Row = Scenario & { readonly side: Side; readonly checks: Checks | null; readonly whyNot: string | null }

/** Why this row is not as it should be; null where it is. */
export function wrongWith({ name, checks, whyNot }: Row): string | null {
  if (whyNot !== null) return null
  if (checks === null || checks.passed + checks.failed === 0) return `${name} checked nothing`
  return checks.failed > 0 ? `${name} fails ${checks.failed} of its checks` : null
}

export function renderConformance(version: string, rows: readonly Row[]): string {
  const head = `# MCP conformance

Written by \`node infra/mcp-conformance.ts\`, which runs the conformance suite of the protocol (\`@modelcontextprotocol/conformance\`
${version}) against a server and a client of ours. The suite knows the revisions up to 2025-11-25; what is new in 2026-07-28
(\`input_required\`, \`requestState\`, requests without a session) is tested by \`test/mcp\` with the client and the server of the SDK.
A scenario that does not apply says why; every other one must pass.`
  return `${[head, renderSide('server', rows), renderSide('client', rows)].join('\n\n')}\n`
}

const TITLES: Readonly<Record<Side, string>> = {
  server: 'The server: `mcpServer`, over streamable HTTP',
  client: 'The client: `mcp`, over streamable HTTP, in turns that call each tool of the server',
}

export function renderSide(side: Side, all: readonly Row[]): string {
  const rows = all.filter(row => row.side === side)
  const failing = rows.filter(row => wrongWith(row) !== null).length
  const apart = rows.filter(row => row.whyNot !== null).length
  return [
    `## ${TITLES[side]}`,
    '',
    `${rows.length} scenarios: ${rows.length - failing - apart} pass, ${failing} fail, ${apart} do not apply.`,
    '',
    '| scenario | revisions | result |',
    '| --- | --- | --- |',
    ...rows.map(row => `| \`${row.name}\` | ${row.versions} | ${resultText(row)} |`),
  ].join('\n')
}

function resultText(row: Row): string {
  if (row.whyNot !== null) return `does not apply. ${row.whyNot}`
  const wrong = wrongWith(row)
  return wrong === null ? 'passes' : `**${wrong}**`
}
