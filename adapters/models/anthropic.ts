// Models of Anthropic through its own SDK: the Messages API, streamed or whole. It maps and decides nothing; retries are the runtime's.

import type Anthropic from '@anthropic-ai/sdk'
import { Stream } from '@anthropic-ai/sdk/core/streaming'
import type { AskContext, Model, ModelRequest, ModelRound } from '../../machines/ports/model.ts'
import { readText } from '../../machines/runtime/door.ts'
import { failureOf, filteredRound, WHO } from './anthropic/failure.ts'
import { readSettings, type AnthropicOptions, type Settings } from './anthropic/options.ts'
import { listedName, recordedNames } from './anthropic/provider-tools.ts'
import { bodyOf } from './anthropic/request.ts'
import { readMessage, roundOf, type HostNames, type WireMessage } from './anthropic/response.ts'
import { assemble } from './anthropic/stream.ts'
import { watched } from './body.ts'
import { STAY } from './reach.ts'
import { send } from './send.ts'
import { stallGuard, type StallGuard } from './stall.ts'
import { toolNames, type ToolNames } from './tool-names.ts'

export type { AnthropicOptions } from './anthropic/options.ts'

/**
 * A model of Anthropic: `createRuntime({ model: anthropic('claude-sonnet-5-5'), tools })`.
 *
 * @param model the API's name of the model
 * @throws ToolturnError `option_invalid`, also where there is no key: neither `apiKey` nor ANTHROPIC_API_KEY
 */
export function anthropic(model: string, options: AnthropicOptions = {}): Model {
  const name = readText('model', model)
  const settings = readSettings(options)
  return {
    name: `anthropic/${name}`,
    capabilities: { toolCalls: 'native', enforcedOutput: settings.enforcedOutput },
    ask: (request, context) => send(context, () => ask(name, settings, request, context)),
  }
}

/** What the API takes as a name of a tool. */
const TOOL_NAME = /^[a-zA-Z0-9_-]+$/
const TOOL_NAME_CHARACTERS = 64

async function ask(model: string, settings: Settings, request: ModelRequest, context: AskContext): Promise<ModelRound> {
  const names = toolNames(
    request.tools.map(tool => tool.name),
    TOOL_NAME,
    TOOL_NAME_CHARACTERS,
  )
  const body = bodyOf(model, request, settings, names)
  const guard = stallGuard(context.signal, settings.stream ? settings.stallMs : settings.wholeMs)
  try {
    const message = await exchange(settings, body, guard, context)
    return roundOf(message, hostNames(request, settings, names))
  } catch (thrown) {
    const filtered = context.signal.aborted ? null : filteredRound(thrown)
    if (filtered !== null) return filtered
    throw failureOf(thrown, { signal: context.signal, stalled: guard.stalled(), turnId: context.turnId })
  } finally {
    guard.end()
  }
}

async function exchange(
  { client, stream, wholeMs }: Settings,
  body: Anthropic.MessageCreateParams,
  { signal, heard }: StallGuard,
  { onDelta, signal: turn }: AskContext,
): Promise<WireMessage> {
  const asked = client.messages.create(body, { signal, maxRetries: 0, timeout: wholeMs, fetchOptions: STAY })
  const response = watched(await asked.asResponse(), WHO, heard)
  if (!stream) return readMessage(await response.text())
  return assemble(Stream.rawEvents(response), delta => {
    if (!turn.aborted) onDelta(delta)
  })
}

function hostNames({ messages, providerTools: listed }: ModelRequest, { providerTools }: Settings, names: ToolNames): HostNames {
  const recorded = recordedNames(messages)
  return {
    tool: names.toHost,
    providerTool: (wireName, id) => recorded.get(id) ?? listedName(wireName, listed, providerTools),
  }
}
