// What of a tool's schemas makes a model guess: parameters without a description, choices in prose, objects that take anything;
// and what is not safe: secrets that are not marked, schemas that nothing can be judged by.

import type { JsonObject } from '../../../machines/json.ts'
import { isSecretField } from '../../redaction/fields.ts'
import { quoted, type Finding } from '../finding.ts'
import { listsChoices } from './choices.ts'
import type { Linted } from './linted.ts'
import { declaredIn, propertiesOf, typesOf, type ObjectPlace, type Parameter } from './parameters.ts'
import { found } from './words.ts'

const INPUT = '/inputSchema'

export function schemaFindings(tool: Linted): readonly Finding[] {
  if (tool.faults.length > 0) return tool.faults.map(({ path, reason }) => found('schema-unusable', tool.name, path, reason))
  const { parameters, objects } = declaredIn(tool.inputSchema, INPUT)
  return [
    ...rootFindings(tool),
    ...parameters.flatMap(parameter => parameterFindings(tool.name, parameter)),
    ...objects.flatMap(object => objectFindings(tool.name, object)),
  ]
}

/** The keywords by which a schema says what it takes. */
const SAYS_SOMETHING = ['type', 'properties', '$ref', 'allOf', 'anyOf', 'oneOf', 'const', 'enum']

function rootFindings({ name, inputSchema }: Linted): readonly Finding[] {
  const says = typeof inputSchema === 'object' && SAYS_SOMETHING.some(keyword => Object.hasOwn(inputSchema, keyword))
  return says || inputSchema === false ? [] : [found('object-open', name, INPUT, 'The input schema takes anything.')]
}

function parameterFindings(tool: string, { path, name, schema }: Parameter): readonly Finding[] {
  const { description } = schema
  const described = typeof description === 'string' && description.trim() !== ''
  return [
    ...(described || isFixed(schema)
      ? []
      : [found('parameter-undescribed', tool, path, `The parameter ${quoted(name)} has no description.`)]),
    ...(described && isFreeText(schema) && listsChoices(description)
      ? [found('choices-without-enum', tool, path, `The description of ${quoted(name)} lists choices, and any text is taken.`)]
      : []),
    ...(isSecretField(name, new Set()) && mayHoldSecret(schema)
      ? [found('secret-unmarked', tool, path, `The parameter ${quoted(name)} has the name of a secret, and is not marked as one.`)]
      : []),
  ]
}

/** One value only: a mark that tells alternatives apart. */
function isFixed(schema: JsonObject): boolean {
  return Object.hasOwn(schema, 'const') || (Array.isArray(schema['enum']) && schema['enum'].length === 1)
}

const NARROWING = ['enum', 'const', 'pattern', 'format', 'anyOf', 'oneOf', 'allOf']

function isFreeText(schema: JsonObject): boolean {
  return typesOf(schema).includes('string') && !NARROWING.some(keyword => Object.hasOwn(schema, keyword))
}

function mayHoldSecret(schema: JsonObject): boolean {
  const types = typesOf(schema)
  const harmless = types.length > 0 && types.every(type => ['boolean', 'integer', 'number', 'null'].includes(type))
  return !harmless && schema['writeOnly'] !== true && schema['x-secret'] !== true
}

function objectFindings(tool: string, { path, schema, closed }: ObjectPlace): readonly Finding[] {
  if (closed) return []
  const named = Object.keys(propertiesOf(schema)).length > 0
  return [
    found(
      'object-open',
      tool,
      path,
      named ? 'The object takes properties that it does not name.' : 'The object names no properties, and takes any.',
    ),
  ]
}
