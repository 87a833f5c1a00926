// Reading a scenario file: JSON or YAML by its name, and only what the schema of the format lets through.

import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { parse as parseYaml } from 'yaml'
import { ToolturnError } from '../../machines/errors.ts'
import { isEventType } from '../../machines/events.ts'
import { resolveLimits } from '../../machines/limits.ts'
import type { Fault, Scenario } from './format.ts'
import { parseJson } from '../../machines/json-text.ts'

let compiled: ValidateFunction<Scenario> | undefined

function validator(): ValidateFunction<Scenario> {
  compiled ??= compile(readFileSync(new URL('./scenario.schema.json', import.meta.url), 'utf8'))
  return compiled
}

/** `required`, and properties that are false, stand apart from the types they belong to, as the draft allows. */
function compile(schema: string): ValidateFunction<Scenario> {
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictRequired: false, strictTypes: false, allowUnionTypes: true })
  return ajv.compile<Scenario>(parseJson(schema) as object)
}

/** @throws ToolturnError `scenario_invalid` with the path of what is wrong and the reason */
export async function readScenario(file: string): Promise<Scenario> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw invalid(file, '', `cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'no file'}`)
  })
  return checkScenario(parse(file, text), file)
}

function parse(file: string, text: string): unknown {
  try {
    return /^\.ya?ml$/i.test(extname(file)) ? parseYaml(text) : parseJson(text)
  } catch (error) {
    throw invalid(file, '', `cannot be parsed: ${(error as Error).message}`)
  }
}

/**
 * Looks whether a value is a scenario.
 *
 * @throws ToolturnError `scenario_invalid` with the JSON path of what is wrong and the reason
 */
export function checkScenario(value: unknown, file: string): Scenario {
  const validate = validator()
  if (!validate(value)) {
    const error = deepest(validate.errors ?? [])
    throw invalid(file, error?.instancePath ?? '', error === undefined ? 'is not a scenario' : reasonOf(error))
  }
  checkWords(value, file)
  return value
}

/** Of the errors of all branches, the one that is furthest in, and most likely of the branch that was meant. */
function deepest(errors: readonly ErrorObject[]): ErrorObject | undefined {
  const depth = (error: ErrorObject) => error.instancePath.split('/').length
  return errors.filter(tells).toSorted((a, b) => depth(b) - depth(a) || likelihood(b) - likelihood(a))[0] ?? errors[0]
}

/** That no branch fits is told better by the errors inside; that several do is told by nothing else. */
function tells({ keyword, params }: ErrorObject): boolean {
  return keyword !== 'if' && (keyword !== 'oneOf' || (params as { passingSchemas: unknown }).passingSchemas !== null)
}

function likelihood({ keyword }: ErrorObject): number {
  if (keyword === 'oneOf') return 2
  return keyword === 'type' || keyword === 'const' ? 0 : 1
}

function reasonOf({ message = 'is not valid', params }: ErrorObject): string {
  const { additionalProperty, allowedValues } = params as { additionalProperty?: string; allowedValues?: readonly unknown[] }
  if (additionalProperty !== undefined) return `${message}: ${JSON.stringify(additionalProperty)}`
  return allowedValues === undefined ? message : `${message}: ${allowedValues.map(value => JSON.stringify(value)).join(', ')}`
}

/** What the schema leaves open, because later versions may know more words. */
function checkWords(scenario: Scenario, file: string): void {
  const { people = [], faults = [], policy, expect, turn } = scenario
  const named: readonly (readonly [path: string, type: string])[] = [
    ...people.map(({ on }, index) => [`/people/${index}/on`, on] as const),
    ...faults.map((fault, index) => [`/faults/${index}`, eventOf(fault)] as const),
    ...(policy?.changes ?? []).map(({ after }, index) => [`/policy/changes/${index}/after`, after] as const),
    ...(expect.events ?? []).map((type, index) => [`/expect/events/${index}`, type] as const),
    ...(expect.includes ?? []).map(({ type }, index) => [`/expect/includes/${index}/type`, type] as const),
    ...(expect.excludes ?? []).map((type, index) => [`/expect/excludes/${index}`, type] as const),
  ]
  for (const [path, type] of named) if (!isEventType(type)) throw invalid(file, path, `there is no event ${JSON.stringify(type)}`)
  const limits = resolveLimits(turn.limits)
  if ('invalid' in limits) throw invalid(file, `/turn/limits/${limits.invalid}`, 'is no limit of this version, or out of its range')
}

function eventOf(fault: Fault): string {
  if ('kill' in fault) return fault.event
  if ('appendFails' in fault) return fault.appendFails
  return 'deleteRecord' in fault ? fault.deleteRecord : 'turn.opened'
}

function invalid(file: string, path: string, reason: string): ToolturnError {
  return new ToolturnError('scenario_invalid', `${file}${path === '' ? '' : ` at ${path}`} ${reason}.`, { file, path, reason })
}
