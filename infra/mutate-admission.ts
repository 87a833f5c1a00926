// Is the order of admission held by what anyone can run? Breaks the list of gates in one way after the other, in memory only, runs
// the scenarios of the project over each broken list, and prints which of them turn red. A list that none of them notices survives.
//
//   node infra/mutate-admission.ts [--quick] [files…]
//
// `--quick` leaves a mutant at the first scenario that notices it.

import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Scenario } from '../adapters/scenario/format.ts'
import { readScenario } from '../adapters/scenario/read.ts'
import { runScenario } from '../adapters/scenario/run.ts'
import { ADMISSION } from '../machines/admission.ts'
import { pass, refused, type Gate } from '../machines/gates/gate.ts'

type Mutant = { readonly name: string; readonly gates: readonly Gate[] }
type Run = { readonly file: string; readonly scenario: Scenario }

const WHERE = { store: 'memory:', bus: 'memory:', inProcess: true }
const AT_ONCE = 4
/** Many times what a run takes in memory. One that hangs over a broken list has noticed it. */
const LONGEST_MS = 10_000
/** The gate that stops nothing has no verdict that could be passed over. */
const NEVER_STOPS: readonly Gate['name'][] = ['trust']

/** Each gate left out, each neighbouring pair exchanged, each no taken for a yes: the call then goes on whole. */
function mutantsOf(gates: readonly Gate[]): readonly Mutant[] {
  return [
    ...gates.map(({ name }, index) => ({ name: `without ${name}`, gates: gates.toSpliced(index, 1) })),
    ...gates.slice(1).map((gate, index) => {
      const before = gates[index] as Gate
      return { name: `${gate.name} before ${before.name}`, gates: gates.toSpliced(index, 2, gate, before) }
    }),
    ...gates.flatMap((gate, index) =>
      NEVER_STOPS.includes(gate.name) ? [] : [{ name: `${gate.name} ignored`, gates: gates.with(index, heedless(gate)) }],
    ),
  ]
}

function heedless({ name, judge }: Gate): Gate {
  return {
    name,
    judge: async (subject, view) => {
      const verdict = await judge(subject, view)
      return verdict.verdict === 'pass' ? verdict : pass({ redacted: subject.prepared ?? {}, masked: false, ...subject })
    },
  }
}

/**
 * Puts other gates into the list that admission goes by. Types call it constant; in this process it is not.
 *
 * Where a gate misses what an earlier one adds, it throws and nothing passes. Here it refuses instead: a run then comes to an end.
 */
function install(gates: readonly Gate[]): void {
  const list = ADMISSION as Gate[]
  const copies = gates.some(gate => gate.name === 'redaction')
  list.splice(0, list.length, ...gates.map(failingClosed), ...(copies ? [] : [noCopy]))
}

const closed = () => refused('gate-missing', 'A gate that this call needs is not there.')
/** Without the last gate there is no copy that could be recorded. */
const noCopy: Gate = { name: 'redaction', judge: closed }

function failingClosed({ name, judge }: Gate): Gate {
  return {
    name,
    judge: async (subject, view) => {
      try {
        return await judge(subject, view)
      } catch {
        return closed()
      }
    },
  }
}

async function isRed({ scenario }: Run): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => late.resolve(true), LONGEST_MS)
  const run = runScenario(scenario, WHERE).then(
    ({ ok }) => !ok,
    () => true,
  )
  return Promise.race([run, late.promise]).finally(() => clearTimeout(timer))
}

/** The files that turn red over the list that is installed. */
async function allRed(runs: readonly Run[]): Promise<readonly string[]> {
  const red: string[] = []
  for (const group of groupsOf(runs)) {
    const answers = await Promise.all(group.map(isRed))
    red.push(...group.filter((_, index) => answers[index]).map(({ file }) => basename(file)))
  }
  return red
}

/** One file that turns red. What was begun beside it is left to itself. */
async function firstRed(runs: readonly Run[]): Promise<readonly string[]> {
  for (const group of groupsOf(runs)) {
    const found = Promise.withResolvers<string | null>()
    const all = group.map(async run => (await isRed(run)) && found.resolve(basename(run.file)))
    void Promise.all(all).then(() => found.resolve(null))
    const file = await found.promise
    if (file !== null) return [file]
  }
  return []
}

function groupsOf(runs: readonly Run[]): readonly (readonly Run[])[] {
  return Array.from({ length: Math.ceil(runs.length / AT_ONCE) }, (_, index) => runs.slice(index * AT_ONCE, (index + 1) * AT_ONCE))
}

function tell({ name }: Mutant, red: readonly string[]): void {
  const [head = 'SURVIVES', ...rest] = red.length > 1 ? [`${red.length} scenarios`, ...red] : red
  console.log([`${name.padEnd(32)}${head}`, ...rest.map(file => `${' '.repeat(34)}${file}`)].join('\n'))
}

async function main(): Promise<0 | 1> {
  const { values, positionals } = parseArgs({ options: { quick: { type: 'boolean', default: false } }, allowPositionals: true })
  const own = globSync(join(import.meta.dirname, '..', 'test', 'scenarios', '*.json')).toSorted(byGatesFirst)
  const files = positionals.length > 0 ? positionals : own
  const all = await Promise.all(files.map(async file => ({ file, scenario: await readScenario(file) })))
  const before = values.quick ? [] : await allRed(all)
  for (const file of before) console.error(`red before anything was broken, and left out: ${file}`)
  const runs = all.filter(({ file }) => !before.includes(basename(file)))

  const whole = [...ADMISSION]
  const survivors: string[] = []
  for (const mutant of mutantsOf(whole)) {
    install(mutant.gates)
    const red = values.quick ? await firstRed(runs) : await allRed(runs)
    tell(mutant, red)
    if (red.length === 0) survivors.push(mutant.name)
  }
  console.log(`${mutantsOf(whole).length} mutants, ${survivors.length} survive`)
  return survivors.length === 0 && before.length === 0 ? 0 : 1
}

/** Those that are about gates notice most, so a quick run begins with them. */
function byGatesFirst(a: string, b: string): number {
  const rank = (file: string) => (basename(file).startsWith('gate') ? 0 : 1)
  return rank(a) - rank(b) || a.localeCompare(b)
}

// What hung over a broken list still waits: nothing of it is to be heard.
process.exit(await main())
