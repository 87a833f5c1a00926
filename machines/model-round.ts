// What an adapter gives back is held against its shape before anything is decided from it: an adapter's slip must not become a call.

import Type from 'typebox'
import { AnyJson, closed, literals } from './events/shapes.ts'
import { Completion, Usage } from './events/round.ts'
import type { ProviderTool } from './events/turn.ts'
import { misfit } from './misfit.ts'
import type { ModelFailure, ModelRound } from './ports/model.ts'

const MOST_ITEMS = 1_000
/** Characters of all that a round says, arguments included. */
const MOST_CHARACTERS = 8_388_608

const Item = Type.Union([
  closed({ kind: literals('text'), text: Type.String(), extra: Type.Optional(AnyJson) }),
  closed({
    kind: literals('call'),
    id: Type.Union([Type.String(), Type.Null()]),
    name: Type.String(),
    arguments: Type.Union([Type.String(), Type.Null()]),
    extra: Type.Optional(AnyJson),
  }),
  closed({ kind: literals('opaque'), value: AnyJson }),
  closed({
    kind: literals('provider-tool'),
    name: Type.String(),
    id: Type.Optional(Type.String()),
    input: Type.Optional(AnyJson),
    result: Type.Optional(AnyJson),
    extra: Type.Optional(AnyJson),
  }),
])

const Round = closed({
  completion: Completion,
  stop: Type.String(),
  items: Type.Array(Item, { maxItems: MOST_ITEMS }),
  refusal: Type.Optional(Type.String()),
  usage: Type.Optional(Usage),
})

/**
 * The round, or why it cannot be one: its shape, its size, or an item of a tool that the provider was not offered (F1).
 *
 * @param answer whatever the adapter resolved with
 */
export function readRound(answer: unknown, offered: readonly ProviderTool[]): ModelRound | ModelFailure {
  const wrong = misfit(Round, answer)
  if (wrong !== null) return violation(`The adapter gave something that is no round: ${wrong.at} ${wrong.keyword}`)
  const round = answer as ModelRound
  if (sizeOf(round) > MOST_CHARACTERS) return violation('The response is over the size that is taken in.')
  const strange = round.items.some(item => item.kind === 'provider-tool' && !offered.some(tool => tool.name === item.name))
  return strange ? violation('The provider executed a tool that it was not offered.') : round
}

function sizeOf({ items }: ModelRound): number {
  return items.reduce(
    (sum, item) => sum + (item.kind === 'text' ? item.text.length : item.kind === 'call' ? (item.arguments?.length ?? 0) : 0),
    0,
  )
}

function violation(message: string): ModelFailure {
  return { modelFailure: true, kind: 'protocol', final: true, code: 'model_protocol_violation', message }
}
