// A suite: what has to be shown, row by row, and the scenario files that show it. Reading one from a file, or by the name of one
// that comes with the package.

import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { ToolturnError } from '../../machines/errors.ts'
import { parseJson } from '../../machines/json-text.ts'

export type Row = {
  /** What is to be seen. */
  readonly row: string
  /** The rules of the contract that it is about. */
  readonly rules: readonly string[]
  /** Witnesses: scenario files, as paths. */
  readonly scenarios: readonly string[]
  /** Test files that show what no scenario can. */
  readonly tests?: readonly string[]
  /** Why no scenario shows it, or not all of it. */
  readonly unwitnessed?: string
}

export type Suite = { readonly suite: string; readonly shows: string; readonly rows: readonly Row[] }

const text = { type: 'string', minLength: 1 }
const texts = { type: 'array', items: text }
const SHAPE = {
  type: 'object',
  required: ['suite', 'shows', 'rows'],
  additionalProperties: false,
  properties: {
    suite: text,
    shows: text,
    rows: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['row', 'rules', 'scenarios'],
        additionalProperties: false,
        properties: { row: text, rules: texts, scenarios: texts, tests: texts, unwitnessed: text },
        // A row that nothing witnesses says why.
        anyOf: [{ properties: { scenarios: { minItems: 1 } } }, { required: ['unwitnessed'] }],
      },
    },
  },
}

let compiled: ValidateFunction<Suite> | undefined

/**
 * Reads a suite. Paths of its scenarios come back as seen from here.
 *
 * @param named a file, or the name of a suite that comes with the package
 * @throws ToolturnError `scenario_invalid`
 */
export async function readSuite(named: string): Promise<Suite> {
  const file = extname(named) === '.json' ? named : ownFile('contract', 'suites', `${named}.json`)
  const written = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new ToolturnError('scenario_invalid', `There is no suite ${named}.`, { file, path: '', reason: 'unreadable' }, error)
  })
  const suite = check(read(written, file), file)
  const rows = suite.rows.map(row => ({ ...row, scenarios: row.scenarios.map(path => relative('', join(dirname(file), path))) }))
  return { ...suite, rows }
}

function check(value: unknown, file: string): Suite {
  compiled ??= new Ajv2020({ strict: true, strictRequired: false, strictTypes: false }).compile<Suite>(SHAPE)
  if (compiled(value)) return value
  const [first] = compiled.errors ?? []
  const path = first?.instancePath ?? ''
  const reason = first?.message ?? ''
  throw new ToolturnError('scenario_invalid', `${file} at ${path} is no suite: it ${reason}.`, { file, path, reason })
}

function read(written: string, file: string): unknown {
  try {
    return parseJson(written)
  } catch (error) {
    throw new ToolturnError('scenario_invalid', `${file} is no JSON.`, { file, path: '', reason: 'cannot be parsed' }, error)
  }
}

export function packageVersion(): string {
  const manifest = fileURLToPath(import.meta.resolve('toolturn/package.json'))
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
}

/** Of the project's tests, what comes with the package: it lies beside the code in the sources and where they are built. */
export function ownFile(...path: readonly string[]): string {
  return join(import.meta.dirname, '..', '..', 'test', ...path)
}
