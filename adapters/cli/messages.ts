// A transcript to be read: who said what, which calls were made, and the one result of each.

import type { Message, MessageItem, PairedResult } from '../../machines/ports/model.ts'
import { blockText } from './event-words.ts'
import type { Ink } from './output.ts'
import { indent, safeJson, safeLine, safeText } from './text.ts'

export function messagesText(messages: readonly Message[], ink: Ink): string {
  return messages.map(message => `${ink('bold', message.role)}\n${indent(bodyOf(message), 2)}`).join('\n\n')
}

function bodyOf(message: Message): string {
  switch (message.role) {
    case 'system':
    case 'user':
      return safeText(message.text)
    case 'assistant':
      return message.content.map(itemText).join('\n')
    case 'tool':
      return message.results.map(resultText).join('\n')
  }
}

function itemText(item: MessageItem): string {
  switch (item.kind) {
    case 'text':
      return safeText(item.text)
    case 'call':
      return safeLine(`${item.id}  ${item.name}(${item.arguments})`)
    case 'opaque':
      return '[a block of the provider]'
    case 'provider-tool':
      return safeLine(`the provider ran ${item.name}(${safeJson(item.input ?? null)}): ${safeJson(item.result ?? null)}`)
  }
}

function resultText({ id, tool, outcome, result }: PairedResult): string {
  const head = safeLine(`${id}  ${tool}  ${outcome}${result.isError === true ? ', an error' : ''}`)
  return `${head}\n${indent(safeText(result.content.map(blockText).join('\n')), 2)}`
}
