// Text of a model that looks like a call. It is said and nothing more: no text becomes a call (A3).

import { isJsonObject, type Json } from '../../../machines/json.ts'
import { parseJson } from '../../../machines/json-text.ts'

/** Longer texts are looked at as far as that. */
const LOOKED_AT = 65_536

/** The marks that models are trained to write around their calls. */
const MARKS = new RegExp(
  [
    '<(?:tool_calls?|function_calls?|tool_use)>',
    '<(?:\\w{1,16}:)?invoke\\s+name=',
    '<function=',
    '\\[TOOL_CALLS\\]',
    '<\\|(?:python_tag|tool_calls?(?:_begin)?)\\|>',
  ].join('|'),
  'i',
)
const FENCED = /```[a-z_]{0,16}\s*\n([^`]*)```/gi

const NAMES = ['name', 'tool', 'tool_name', 'function']
const ARGUMENTS = ['arguments', 'parameters', 'args', 'input', 'tool_input', 'action_input']

export function looksLikeCall(text: string): boolean {
  const looked = text.slice(0, LOOKED_AT)
  if (MARKS.test(looked)) return true
  const fenced = [...looked.matchAll(FENCED)].map(([, inside = '']) => inside)
  return [looked, ...fenced].some(part => /^\s*[{[]/.test(part) && isCallShaped(valueOf(part)))
}

function valueOf(text: string): Json {
  try {
    return parseJson(text)
  } catch {
    return null // Text is allowed to be no JSON.
  }
}

/** @param levels how deep a list, or what is wrapped around a call, is still looked into */
function isCallShaped(value: Json, levels = 3): boolean {
  if (levels === 0) return false
  if (Array.isArray(value)) return value.length > 0 && (value as readonly Json[]).every(item => isCallShaped(item, levels - 1))
  if (!isJsonObject(value)) return false
  const named = NAMES.some(name => typeof value[name] === 'string') && ARGUMENTS.some(name => Object.hasOwn(value, name))
  return named || isCallShaped(value['function_call'] ?? value['function'] ?? null, levels - 1)
}
