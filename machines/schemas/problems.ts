// From the validator's errors to problems for the model: the schema's words, never the value's.

import type { ErrorObject } from 'ajv'
import { cutText } from '../text.ts'
import { MAX_PROBLEMS, UNDECLARED, type Problem } from './problem.ts'

const MAX_WORDS = 240
const MAX_PATH = 240

/**
 * What does not fit, at most MAX_PROBLEMS of it, each once.
 *
 * @param value what was validated: only its shape is looked at, to tell indexes from names
 * @param names every name that the schema declares
 */
export function problemsOf(errors: readonly ErrorObject[], value: unknown, names: ReadonlySet<string>): readonly Problem[] {
  const problems = new Map<string, Problem>()
  for (const error of errors) {
    if (problems.size === MAX_PROBLEMS) break
    const problem = { path: shownPath(error.instancePath, value, names), keyword: error.keyword, expected: expected(error) }
    problems.set(JSON.stringify(problem), problem)
  }
  return [...problems.values()]
}

/** The pointer, with every name that the schema does not declare left out: it is what the model wrote. */
function shownPath(pointer: string, value: unknown, names: ReadonlySet<string>): string {
  let at = value
  let shown = ''
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    shown += `/${Array.isArray(at) || names.has(key) ? part : UNDECLARED}`
    at = (at as { readonly [key: string]: unknown } | undefined)?.[key]
  }
  return cutText(shown, MAX_PATH)
}

function words(value: unknown): string {
  return cutText(JSON.stringify(value) ?? '', MAX_WORDS)
}

function listed(values: readonly unknown[]): string {
  return cutText(values.map(value => JSON.stringify(value)).join(', '), MAX_WORDS)
}

const ARTICLES: { readonly [type: string]: string } = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
}

function typed(type: unknown): string {
  const types = Array.isArray(type) ? type : String(type).split(',')
  return types.map(name => ARTICLES[String(name)] ?? 'another type').join(' or ')
}

type Params = { readonly [name: string]: unknown }

/** What each keyword asks for, from its own parameters. `params` also holds names and indexes of the value; those are not used. */
const EXPECTED: { readonly [keyword: string]: (params: Params) => string } = {
  type: ({ type }) => typed(type),
  required: ({ missingProperty }) => `the property ${words(missingProperty)}`,
  dependentRequired: ({ deps }) => `also the property or properties ${words(deps)}`,
  dependencies: ({ deps }) => `also the property or properties ${words(deps)}`,
  additionalProperties: () => 'no property that the schema does not declare',
  unevaluatedProperties: () => 'no property that the schema does not declare',
  additionalItems: ({ limit }) => `at most ${words(limit)} items`,
  unevaluatedItems: () => 'no items that the schema does not declare',
  propertyNames: () => 'only property names that the schema allows',
  enum: ({ allowedValues }) => `one of ${listed(allowedValues as readonly unknown[])}`,
  const: ({ allowedValue }) => `exactly ${words(allowedValue)}`,
  minimum: bound,
  maximum: bound,
  exclusiveMinimum: bound,
  exclusiveMaximum: bound,
  multipleOf: ({ multipleOf }) => `a multiple of ${words(multipleOf)}`,
  minLength: ({ limit }) => `at least ${words(limit)} characters`,
  maxLength: ({ limit }) => `at most ${words(limit)} characters`,
  minItems: ({ limit }) => `at least ${words(limit)} items`,
  maxItems: ({ limit }) => `at most ${words(limit)} items`,
  minProperties: ({ limit }) => `at least ${words(limit)} properties`,
  maxProperties: ({ limit }) => `at most ${words(limit)} properties`,
  uniqueItems: () => 'items that all differ',
  contains: ({ minContains }) => `at least ${words(minContains)} fitting items`,
  pattern: ({ pattern }) => `text that matches the pattern ${words(pattern)}`,
  format: ({ format }) => `the format ${words(format)}`,
  anyOf: () => 'a value that fits one of the alternatives',
  oneOf: () => 'a value that fits exactly one of the alternatives',
  not: () => 'a value that does not fit the excluded schema',
  if: () => 'a value that fits the schema for its case',
  'false schema': () => 'nothing here: the schema allows no value',
}

function bound({ comparison, limit }: Params): string {
  return `a number ${String(comparison)} ${words(limit)}`
}

function expected({ keyword, params, propertyName }: ErrorObject): string {
  const asked = EXPECTED[keyword]?.(params as Params) ?? `a value that fits the keyword ${words(keyword)}`
  return propertyName === undefined ? asked : `in every property name ${asked}`
}
