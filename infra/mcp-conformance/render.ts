// The results of the suite as a document.

import type { Checks, Scenario, Side } from './suite.ts'

export type Row = Scenario & { readonly side: Side; readonly checks: Checks | null; readonly whyNot: string | null }

const TITLES: Readonly<Record<Side, string>> = { server: 'The server', client: 'The client' }

/** Why this row is not as it should be; null where it is. */
export function wrongWith({ name, checks, whyNot }: Row): string | null {
  if (whyNot !== null) return null
  if (checks === null) return `${name} was not run`
  if (checks.failed > 0) return `${name} fails ${checks.failed} of its checks`
  return checks.passed === 0 ? `${name} checked nothing` : null
}

export function renderConformance(version: string, rows: readonly Row[]): string {
  const head = `# MCP conformance

Written by \`node infra/mcp-conformance.ts\`, which runs the conformance suite of the protocol (\`@modelcontextprotocol/conformance\`
${version}) against a server and a client of ours. The suite knows the revisions up to 2025-11-25; what is new in 2026-07-28
(\`input_required\`, \`requestState\`, requests without a session) is tested by \`test/mcp\` with the client and the server of the SDK.
A scenario that does not apply says why; every other one must pass.`
  const sides = (['server', 'client'] as const).flatMap(side => {
    const own = rows.filter(row => row.side === side)
    return own.length === 0 ? [] : [sectionFor(side, own)]
  })
  return `${[head, ...sides].join('\n\n')}\n`
}

function sectionFor(side: Side, rows: readonly Row[]): string {
  const passing = rows.filter(row => row.whyNot === null && wrongWith(row) === null).length
  const apart = rows.filter(row => row.whyNot !== null).length
  const lines = rows.map(row => `| \`${row.name}\` | ${row.versions} | ${resultText(row)} |`)
  return [
    `## ${TITLES[side]}`,
    '',
    `${rows.length} scenarios: ${passing} pass, ${rows.length - passing - apart} fail, ${apart} do not apply.`,
    '',
    '| scenario | revisions | result |',
    '| --- | --- | --- |',
    ...lines,
  ].join('\n')
}

function resultText(row: Row): string {
  if (row.whyNot !== null) return `does not apply. ${row.whyNot}`
  const { checks } = row
  if (checks === null) return 'was not run'
  const warned = checks.warnings > 0 ? `, ${checks.warnings} warnings` : ''
  return checks.failed > 0
    ? `**fails** ${checks.failed} of ${checks.passed + checks.failed} checks`
    : `passes ${checks.passed} checks${warned}`
}
