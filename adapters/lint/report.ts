// Findings as people read them: those of a history in a table, those of a catalog by tool; how to mend each kind is said once, below.

import type { Ink } from '../cli/output.ts'
import { facts, indent, table } from '../cli/text.ts'
import type { Finding, Severity } from './finding.ts'

const INKS: { readonly [severity in Severity]: Parameters<Ink>[0] } = { error: 'red', warning: 'yellow', info: 'dim' }
const WIDTH = 'warning'.length
/** People are shown so many; programs get all. */
const SHOWN = 1_000

/** In the order of the messages. */
export function historyText(findings: readonly Finding[], ink: Ink): string {
  if (findings.length === 0) return ''
  const shown = findings.slice(0, SHOWN)
  const rows = shown.map(({ path, severity, finding, rule, tool, what }) => [path, severity, finding, rule, tool ?? '', what])
  const [head = '', ...lines] = table(['PLACE', 'SEVERITY', 'FINDING', 'RULE', 'TOOL', 'WHAT'], rows).split('\n')
  const more = findings.length > SHOWN ? [`… and ${findings.length - SHOWN} more: --json prints them all.`] : []
  return [ink('bold', head), ...lines, ...more, '', mendText(findings, ink), '', ''].join('\n')
}

/** What is found of the catalog as a whole stands first. */
export function catalogText(findings: readonly Finding[], ink: Ink): string {
  if (findings.length === 0) return ''
  const groups = [...Map.groupBy(findings, ({ tool }) => tool ?? 'the catalog')]
  const texts = groups.map(([name, found]) => `${ink('bold', name)}\n${indent(found.map(each => findingLine(each, ink)).join('\n'), 2)}`)
  return [...texts, mendText(findings, ink), ''].join('\n\n')
}

function findingLine({ severity, finding, rule, path, what }: Finding, ink: Ink): string {
  const place = path === '' ? '' : `${path}  `
  return `${ink(INKS[severity], severity.padEnd(WIDTH))}  ${place}${what} ${ink('dim', `(${finding}, ${rule})`)}`
}

function mendText(findings: readonly Finding[], ink: Ink): string {
  const mends = new Map(findings.map(({ finding, mend }) => [finding, mend]))
  return `${ink('bold', 'How to mend')}\n${indent(facts([...mends]), 2)}`
}

/** How many there are of each severity: `2 errors, 1 warning`; `nothing` where there are none. */
export function countsText(findings: readonly Finding[]): string {
  const counts = (['error', 'warning', 'info'] as const)
    .map(severity => [severity, findings.filter(each => each.severity === severity).length] as const)
    .filter(([, count]) => count > 0)
    .map(([severity, count]) => `${count} ${severity}${count === 1 || severity === 'info' ? '' : 's'}`)
  return counts.length === 0 ? 'nothing' : counts.join(', ')
}
