// The contract as a document: rule → code → scenarios and tests → status.

import type { Suite } from '../../adapters/scenario/suite.ts'
import { scenariosOf, statusOf, type Contract, type Limit, type Rule } from './rules.ts'

const HEAD = `# The contract, rule by rule

Written by \`node infra/contract-table.ts\` from \`test/contract/rules.json\` and the comments of the code; a test fails when it is
not up to date. Scenarios are the files of \`test/scenarios\`: whole turns of a scripted model that anyone can run with
\`toolturn scenario run\`. A scenario scripts the model, the tools and the people, and nothing between them: none of them calls
admission itself, and no test that is named here for a rule of section B does. \`node infra/mutate-admission.ts\` breaks the order of
the gates in every way and shows which scenarios notice.
`

const SECTIONS: Readonly<Record<string, string>> = {
  A: 'Channels',
  B: 'Admission',
  C: 'Trust and approval',
  D: 'Identity, record, recovery, replay',
  E: 'Asking a person',
  F: 'Tools that the provider runs',
  G: 'Shape of tools',
}

/** @param code the files that serve each rule */
export function renderContract(contract: Contract, code: ReadonlyMap<string, readonly string[]>, suites: readonly Suite[]): string {
  const sections = Object.entries(SECTIONS).map(([letter, title]) => {
    const rules = Object.entries(contract.rules).filter(([rule]) => rule.startsWith(letter))
    return [`## ${letter}. ${title}`, ...rules.map(([rule, held]) => ruleText(rule, held, code.get(rule) ?? []))].join('\n\n')
  })
  const limits = Object.entries(contract.limits).map(([limit, held]) => limitText(limit, held))
  const cases = Object.entries(contract.cases).map(([name, held]) => ruleText(name, held, []))
  const parts = [HEAD.trimEnd(), waitingText(contract), suitesText(suites), ...sections]
  return `${[...parts, '## Limits', ...limits, '## Cases from the field', ...cases].join('\n\n')}\n`
}

/** What is not held, first: whoever certifies asks for that. */
function waitingText({ rules, limits, cases }: Contract): string {
  const open = Object.entries({ ...rules, ...limits, ...cases }).filter(([, held]) => statusOf(held) !== 'held')
  const lines = open.map(([name, held]) => `- ${name}: ${statusOf(held) === 'waits' ? 'waits' : 'held in part, waits'} for ${held.waits}`)
  return ['## What is not held yet', lines.join('\n')].join('\n\n')
}

/** What each suite cannot show, and why. Its report says the rest. */
function suitesText(suites: readonly Suite[]): string {
  const lines = suites.flatMap(({ suite, shows, rows }) => [
    `- \`${suite}\`: ${shows}; ${rows.filter(({ scenarios }) => scenarios.length > 0).length} of ${rows.length} rows have witnesses`,
    ...rows.flatMap(({ row, tests, unwitnessed }) =>
      unwitnessed === undefined ? [] : [`  - ${row}: ${[unwitnessed, ...(tests ?? []).map(test => `\`${test}\``)].join(' ')}`],
    ),
  ])
  return ['## Suites', 'Run one with `toolturn scenario run --suite <name>`; it ends with a report.', lines.join('\n')].join('\n\n')
}

function ruleText(name: string, held: Rule, code: readonly string[]): string {
  const head = `**${name}** ${statusOf(held)}. ${held.says}`
  return [head, ...list('code', code), ...list('scenarios', named(scenariosOf(held))), ...seen(held)].join('\n')
}

function limitText(name: string, held: Limit): string {
  const head = `**${name}** ${statusOf(held)}.`
  return [head, ...list('at its edge', named(held.met)), ...list('beside it', named(held.notMet)), ...seen(held)].join('\n')
}

function seen(held: Rule | Limit): string[] {
  return [...list('tests', held.tests ?? []), ...(held.waits === undefined ? [] : [`- waits for ${held.waits}`])]
}

function list(word: string, entries: readonly string[]): string[] {
  return entries.length === 0 ? [] : [`- ${word}: ${entries.map(entry => `\`${entry}\``).join(', ')}`]
}

function named(scenarios: readonly string[] = []): readonly string[] {
  return scenarios.map(scenario => `${scenario}.json`)
}
