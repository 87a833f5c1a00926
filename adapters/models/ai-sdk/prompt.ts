// The neutral request as options of one call of the interface. Tools go out as descriptions: nothing here can be run (G7).

import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool, LanguageModelV4Message } from '@ai-sdk/provider'
import { isJsonObject } from '../../../machines/json.ts'
import type { Message, ModelRequest, OfferedTool } from '../../../machines/ports/model.ts'
import { outputBudget } from '../budget.ts'
import { notSendable } from '../failure.ts'
import { withoutHalves } from '../own-part.ts'
import { isStrict } from '../strict.ts'
import { toolNames, type ToolNames } from '../tool-names.ts'
import type { Settings } from './options.ts'
import { partsOf, type Terms } from './parts.ts'
import { toolOutput } from './tool-output.ts'

/** What all the providers take as a name, but `json`: by that name Anthropic's package offers a tool of its own for output. */
const NAME = /^(?!json$)[a-zA-Z0-9_-]+$/
const NAME_CHARACTERS = 64

export function namesOf({ tools }: ModelRequest): ToolNames {
  return toolNames(
    tools.map(tool => tool.name),
    NAME,
    NAME_CHARACTERS,
  )
}

/**
 * The interface has no switch for `callsPerRound: 1`; a host that wants the provider's own gives it in `providerOptions`.
 *
 * @throws ModelFailure where a provider's tool that the turn lists has no definition, or one name stands for two tools
 */
export function callOptions(request: ModelRequest, settings: Settings, terms: Terms): LanguageModelV4CallOptions {
  const { maxOutputTokens, providerOptions } = settings
  const tools = [...request.tools.map(tool => functionTool(tool, terms.names)), ...providerTools(request, settings)]
  if (new Set(tools.map(tool => tool.name)).size < tools.length) throw notSendable(`${settings.name} would be sent two tools of one name.`)
  return {
    prompt: promptOf(request, terms),
    ...(tools.length === 0 ? {} : { tools, toolChoice: { type: 'auto' } }),
    ...responseFormat(request),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens: outputBudget(maxOutputTokens, request.truncations) }),
    ...(Object.keys(providerOptions).length === 0 ? {} : { providerOptions }),
  }
}

function promptOf({ system, messages }: ModelRequest, terms: Terms): LanguageModelV4Message[] {
  const said = withoutHalves(terms.own, messages)
    .map(message => messageOf(message, terms))
    .filter(message => message.content.length > 0)
  return system === null ? said : [{ role: 'system', content: system }, ...said]
}

function messageOf(message: Message, terms: Terms): LanguageModelV4Message {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.text }
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.text }] }
    case 'assistant':
      return { role: 'assistant', content: message.content.flatMap(item => partsOf(item, terms)) }
    case 'tool':
      return {
        role: 'tool',
        content: message.results.map(({ id, tool, result }) => ({
          type: 'tool-result',
          toolCallId: id,
          toolName: terms.names.toProvider(tool),
          output: toolOutput(result),
        })),
      }
  }
}

function functionTool({ name, description, inputSchema }: OfferedTool, names: ToolNames): LanguageModelV4FunctionTool {
  return { type: 'function', name: names.toProvider(name), description, inputSchema: schemaOf(inputSchema), strict: isStrict(inputSchema) }
}

/** Arguments are an object whatever the schema says, and providers want to read that in it. */
function schemaOf(schema: OfferedTool['inputSchema']): LanguageModelV4FunctionTool['inputSchema'] {
  if (isJsonObject(schema)) return 'type' in schema ? schema : { type: 'object', ...schema }
  return schema ? { type: 'object' } : { type: 'object', not: {} }
}

function providerTools(request: ModelRequest, settings: Settings): NonNullable<LanguageModelV4CallOptions['tools']> {
  return request.providerTools.map(({ name }) => {
    const tool = settings.providerTools.get(name)
    if (tool === undefined) throw notSendable(`The turn lists a provider's tool that ${settings.name} was given no definition of.`)
    return tool
  })
}

/** Only where the host says that the model holds a schema was the turn opened so (A2). */
function responseFormat({ output }: ModelRequest): Pick<LanguageModelV4CallOptions, 'responseFormat'> {
  if (output?.mode !== 'enforced') return {}
  return { responseFormat: isJsonObject(output.schema) ? { type: 'json', schema: output.schema } : { type: 'json' } }
}
