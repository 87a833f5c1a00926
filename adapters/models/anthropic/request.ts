// The neutral request as the body of a Messages request.

import type { ContentBlockParam, MessageCreateParams, MessageParam, Tool, ToolUnion } from '@anthropic-ai/sdk/resources/messages'
import { isJsonObject } from '../../../machines/json.ts'
import type { Message, ModelRequest, OfferedTool } from '../../../machines/ports/model.ts'
import { outputBudget } from '../budget.ts'
import { notSendable } from '../failure.ts'
import type { ToolNames } from '../tool-names.ts'
import { withoutHalves } from '../own-part.ts'
import { blocksOf, PROVIDER, resultBlock } from './content.ts'
import type { Settings } from './options.ts'
import { containerOf } from './container.ts'
import { listedDefinitions } from './provider-tools.ts'
import { strictTools } from './strict-tools.ts'

/** @throws ModelFailure when a provider tool of the turn has no definition, or the name of another tool */
export function bodyOf(model: string, request: ModelRequest, settings: Settings, names: ToolNames): MessageCreateParams {
  const strict = settings.strictTools ? strictTools(request.tools) : new Set<string>()
  const tools = [
    ...request.tools.map(tool => toolOf(tool, names, strict.has(tool.name))),
    ...(listedDefinitions(request.providerTools, settings.providerTools) as unknown as ToolUnion[]),
  ]
  const toolsByName = new Set(tools.map(tool => ('name' in tool ? tool.name : tool)))
  if (toolsByName.size < tools.length) throw notSendable('Anthropic would be sent two tools of one name.')
  const system = systemOf(request)
  const { thinking } = settings
  const { output } = request
  const container = containerOf(request.messages)
  return {
    model,
    max_tokens: outputBudget(settings.maxOutputTokens, request.truncations),
    stream: settings.stream,
    ...(system === '' ? {} : { system }),
    messages: messagesOf(request.messages, names),
    ...(tools.length === 0 ? {} : { tools }),
    ...(tools.length > 0 && request.callsPerRound === 1 ? { tool_choice: { type: 'auto', disable_parallel_tool_use: true } } : {}),
    ...(thinking === undefined ? {} : { thinking }),
    ...(output?.mode === 'enforced' && isJsonObject(output.schema)
      ? { output_config: { format: { type: 'json_schema', schema: output.schema } } }
      : {}),
    ...(container === null ? {} : { container }),
  }
}

/** The API has one place for instructions; those that stand among the messages are put there too, behind the prompt. */
function systemOf({ system, messages }: ModelRequest): string {
  const texts = messages.flatMap(message => (message.role === 'system' ? [message.text] : []))
  return [system ?? '', ...texts].filter(text => text.trim() !== '').join('\n\n')
}

/** The API wants an object at the top, which all arguments are. */
function toolOf({ name, description, inputSchema }: OfferedTool, names: ToolNames, strict: boolean): Tool {
  const schema = isJsonObject(inputSchema) ? inputSchema : {}
  return {
    name: names.toProvider(name),
    description,
    input_schema: { ...schema, type: 'object' },
    ...(strict ? { strict: true } : {}),
  }
}

/**
 * Roles take turns: what one says in a row is one message. So a round that goes on from a paused one is one message with it, and
 * results stand first in the message of whoever speaks next.
 */
function messagesOf(messages: readonly Message[], names: ToolNames): MessageParam[] {
  const turns: Turn[] = []
  for (const message of withoutHalves(PROVIDER, messages)) {
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const content = contentOf(message, names)
    if (content.length === 0) continue
    const last = turns.at(-1)
    if (last?.role === role) last.content.push(...content)
    else turns.push({ role, content: [...content] })
  }
  const ended = turns.map((turn, index) => (index === turns.length - 1 ? withoutTrailingSpace(turn) : turn)).filter(isSaid)
  return ended[0]?.role === 'user' ? ended : [BEFORE_THE_ASSISTANT, ...ended]
}

/** The API has the user speak first. A greeting that the host puts into its assistant's mouth comes behind these words. */
const BEFORE_THE_ASSISTANT: MessageParam = { role: 'user', content: [{ type: 'text', text: '(Nothing was said before this.)' }] }

type Turn = { readonly role: 'user' | 'assistant'; readonly content: ContentBlockParam[] }

function isSaid(turn: Turn): boolean {
  return turn.content.length > 0
}

/** An answer that the model is to go on with may not end in space. */
function withoutTrailingSpace(turn: Turn): Turn {
  const last = turn.content.at(-1)
  if (turn.role !== 'assistant' || last?.type !== 'text') return turn
  const text = last.text.trimEnd()
  const before = turn.content.slice(0, -1)
  return text === '' ? withoutTrailingSpace({ ...turn, content: before }) : { ...turn, content: [...before, { ...last, text }] }
}

function contentOf(message: Message, names: ToolNames): readonly ContentBlockParam[] {
  switch (message.role) {
    case 'system':
      return []
    case 'user':
      return withoutBlanks([{ type: 'text', text: message.text }])
    case 'assistant':
      return withoutBlanks(message.content.flatMap(item => blocksOf(item, names)))
    case 'tool':
      return message.results.map(resultBlock)
  }
}

/** The API refuses an empty text, and texts of nothing but space where no other text stands beside them, as it may well have said them. */
function withoutBlanks(content: readonly ContentBlockParam[]): readonly ContentBlockParam[] {
  const saysSomething = content.some(block => block.type === 'text' && block.text.trim() !== '')
  return content.filter(block => block.type !== 'text' || (saysSomething && block.text !== ''))
}
