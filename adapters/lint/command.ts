// What the verbs of `lint` do: read, look, and print what was found, for people or as one JSON object a line.

import { EXIT, type ExitCode } from '../cli/exit.ts'
import type { Output } from '../cli/output.ts'
import { estimate, tokensOfAll } from './catalog/cost.ts'
import { lintCatalog } from './catalog/lint.ts'
import { linted, type Linted, type LintedDescriptor } from './catalog/linted.ts'
import { loadCatalog, readCatalog, type Catalog } from './catalog/load.ts'
import type { Finding } from './finding.ts'
import { catalogText, countsText, historyText } from './report.ts'
import { checkFile } from './transcript/file.ts'
import type { TranscriptFormat } from './transcript/format.ts'

/** Prints what is wrong with the histories of a file. @returns `failed` where there are errors */
export async function lintTranscriptFile(path: string, format: TranscriptFormat | undefined, out: Output): Promise<ExitCode> {
  const checked = checkFile(path, format)
  const findings = checked.flatMap(each => each.findings)
  const messages = checked.reduce((sum, each) => sum + each.messages, 0)
  const histories = checked.length === 1 ? '' : ` of ${checked.length} histories`
  const formats = [...new Set(checked.map(each => each.format))].join(', ')
  const summary = `Found ${countsText(findings)} in ${counted(messages, 'message')}${histories} (${formats}).`
  return print(findings, () => `${historyText(findings, out.ink)}${summary}`, out)
}

/** Prints what is wrong with the tools of a module, and what breaks against an earlier catalog. @returns `failed` where there are errors */
export async function lintToolsModule(path: string, against: string | undefined, out: Output): Promise<ExitCode> {
  const catalog = await loadCatalog(path)
  const findings = lintCatalog(catalog, against === undefined ? {} : { against: readCatalog('--against', against) })
  const size = `${counted(catalog.length, 'tool')}. The definitions take ${estimate(tokensOfAll(catalog.map(linted)))} of every request.`
  const code = await print(findings, () => `${catalogText(findings, out.ink)}Found ${countsText(findings)} in ${size}`, out)
  if (out.json) await out.answer(catalogLine(catalog, size), () => '')
  return code
}

/** The last line of JSON: what a later `--against` reads. */
function catalogLine(catalog: Catalog, what: string): Finding & { readonly catalog: readonly LintedDescriptor[] } {
  const descriptors = catalog.map(linted).map(writable)
  const mend = 'Nothing: a later --against reads this line.'
  return { severity: 'info', finding: 'catalog', rule: 'G2', tool: null, path: '', what, mend, catalog: descriptors }
}

/** A schema that cannot be used may be one that cannot be written: it is left out, and why it cannot be used is kept. */
function writable({ descriptor, faults: [fault] }: Linted): LintedDescriptor {
  if (fault === undefined) return descriptor
  const { outputSchema: _, ...kept } = descriptor
  return { ...kept, inputSchema: true, quarantined: fault.reason }
}

async function print(findings: readonly Finding[], text: () => string, out: Output): Promise<ExitCode> {
  if (!out.json) await out.answer(findings, text)
  else for (const finding of findings) await out.answer(finding, text)
  return findings.some(({ severity }) => severity === 'error') ? EXIT.failed : EXIT.done
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
