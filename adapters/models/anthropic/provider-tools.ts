// Tools that Anthropic runs itself: what is sent of them, and under which of the turn's names their blocks are recorded (F1, F4).

import type { JsonObject } from '../../../machines/json.ts'
import type { ProviderTool } from '../../../machines/events/turn.ts'
import type { Message } from '../../../machines/ports/model.ts'
import { notSendable } from '../failure.ts'
import { isServerWord } from '../servers.ts'
import { textAt } from './text-at.ts'

/** Whether a block tells of a call that the provider made for us at another server. */
export function isDelegated(block: JsonObject): boolean {
  return isServerWord(textAt(block, 'type')) || Object.keys(block).some(isServerWord)
}

type Definitions = ReadonlyMap<string, JsonObject>

/**
 * The definitions of the tools that a turn lists, and of no others.
 *
 * @throws ModelFailure when one of them has none
 */
export function listedDefinitions(listed: readonly ProviderTool[], definitions: Definitions): readonly JsonObject[] {
  return listed.map(({ name }) => {
    const definition = definitions.get(name)
    if (definition === undefined)
      throw notSendable('A provider tool of the turn has no definition in the option `providerTools` of the model.')
    return definition
  })
}

/**
 * The turn's name of a tool, from the one that its blocks carry. Code execution runs as several tools under one definition. A name
 * that belongs to no listed tool stays as it is, and the round is refused for it.
 */
export function listedName(wireName: string, listed: readonly ProviderTool[], definitions: Definitions): string {
  const named = (fits: (name: string) => boolean): string | undefined =>
    listed.find(({ name }) => fits(textAt(definitions.get(name), 'name') || name))?.name
  return named(name => name === wireName) ?? named(name => wireName.endsWith(`_${name}`)) ?? wireName
}

/** The names that uses in the transcript were recorded under, by id: a result may come a round after its use. */
export function recordedNames(messages: readonly Message[]): ReadonlyMap<string, string> {
  const items = messages.flatMap(message => (message.role === 'assistant' ? message.content : []))
  return new Map(items.flatMap(item => (item.kind === 'provider-tool' && item.id !== undefined ? [[item.id, item.name]] : [])))
}
