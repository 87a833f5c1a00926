// `answer`: the acting person's answer to what a turn asks.

import { ToolturnError } from '../../../machines/errors.ts'
import type { Json } from '../../../machines/json.ts'
import { withConfig, type ConfigFlags } from '../config.ts'
import { acting } from '../drive.ts'
import { personHere } from '../person.ts'
import { json } from '../reading.ts'
import { command, verb, type Verb } from '../verb.ts'
import { withWhere, type WhereFlags } from '../where.ts'

type Flags = WhereFlags & ConfigFlags & { readonly text?: string; readonly json?: string | true }

const words = command('answer', 'Answer what a turn asks you', `answer 0190a0b0-0000-7000-8000-000000000000 --text 'The blue one.'`)
  .argument('<turn>', 'its id')
  .option('--text <text>', 'the answer as a text')
  .option('--json [json]', 'the answer as JSON; prints JSON too, also without a value')

export const answer: Verb = verb<Flags>(withConfig(withWhere(words)), async ({ words: [turnId = ''], flags, out }) => {
  const given = readAnswer(flags)
  return acting(flags, out, async ({ runtime, tenant }) => {
    await runtime.answer(turnId, { as: personHere(), via: 'app', tenant, answer: given })
    return { turnId, decision: 'answered' }
  })
})

function readAnswer({ text, json: value }: Flags): Json {
  if (text !== undefined && typeof value !== 'string') return text
  if (text === undefined && typeof value === 'string') return json('--json', value)
  throw new ToolturnError('option_invalid', 'An answer is given either by --text or by --json.', { option: '--text' })
}
