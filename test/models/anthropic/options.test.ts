// Goal: an option that means nothing is refused at the door, a missing key is named, and a given client is used as it is.

import Anthropic, { AnthropicError } from '@anthropic-ai/sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { anthropic, type AnthropicOptions } from '../../../adapters/models/anthropic.ts'
import type { AnthropicClient } from '../../../adapters/models/anthropic/options.ts'
import { askContext, REQUEST } from '../asking.ts'
import { openWire } from '../wire.ts'
import { messageOf } from './blocks.ts'

const ANSWER = messageOf([{ type: 'text', text: 'Ok.' }], 'end_turn')

beforeEach(() => {
  for (const name of ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL']) vi.stubEnv(name, undefined)
})
afterEach(() => vi.unstubAllEnvs())

const refused = (option: string) => expect.objectContaining({ code: 'option_invalid', details: expect.objectContaining({ option }) })

describe('the options', () => {
  const apiKey = 'key-of-nobody'
  const provider = (definition: unknown) => ({ apiKey, providerTools: { search: definition } })
  it.each<readonly [string, unknown]>([
    ['options.maxTokens', { apiKey, maxTokens: 5 }],
    ['maxOutputTokens', { apiKey, maxOutputTokens: 0 }],
    ['stallMs', { apiKey, stallMs: 2 ** 31 }],
    ['stream', { apiKey, stream: 'yes' }],
    ['strictTools', { apiKey, strictTools: 1 }],
    ['enforcedOutput', { apiKey, enforcedOutput: null }],
    ['apiKey', { apiKey: '' }],
    ['baseURL', { apiKey, baseURL: 5 }],
    ['thinking', { apiKey, thinking: 'much' }],
    ['thinking.budget_tokens', { apiKey, thinking: { type: 'enabled', budget_tokens: 8_192 } }],
    ['client', { apiKey, client: { messages: { create: () => {} } } }],
    ['client.messages.create', { client: {} }],
    ['client.messages.create', { client: null }],
    ['providerTools.search', provider({ name: 'web_search' })],
    ['providerTools.search', provider({ type: 'custom', name: 'search', input_schema: {} })],
    ['providerTools.search', provider({ type: 'mcp_toolset', mcp_server_name: 'x' })],
    ['providerTools.search', provider({ type: 'web_search_20250305', mcp_servers: [] })],
    ['providerTools.search', provider({ type: 'a2a', name: 'x' })],
    ['providerTools.search', provider({ type: 'mcpToolset', name: 'x' })],
    ['providerTools.search', provider({ type: 'web_search_20250305', name: 'x', more: [{ type: 'mcp_toolset' }] })],
  ])('refuse %s where it means nothing: %j', (option, options) => {
    expect(() => anthropic('claude-test', options as AnthropicOptions)).toThrow(refused(option))
  })

  it('want a model by its name', () => {
    expect(() => anthropic('', { apiKey })).toThrow(refused('model'))
  })

  it('say what the model can do', () => {
    expect(anthropic('claude-test', { apiKey })).toMatchObject({
      name: 'anthropic/claude-test',
      capabilities: { toolCalls: 'native', enforcedOutput: true },
    })
    expect(anthropic('claude-test', { apiKey, enforcedOutput: false }).capabilities.enforcedOutput).toBe(false)
  })
})

describe('the key', () => {
  it('is asked for by the name of its variable, before anything is sent', () => {
    expect(() => anthropic('claude-test')).toThrow(/ANTHROPIC_API_KEY/)
    expect(() => anthropic('claude-test')).toThrow(refused('apiKey'))
  })

  it.each(['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'])('may be in %s', async variable => {
    await using wire = await openWire()
    vi.stubEnv(variable, 'key-in-variable')
    vi.stubEnv('ANTHROPIC_BASE_URL', wire.url)
    wire.answer(ANSWER)
    await anthropic('claude-test', { stream: false }).ask(REQUEST, askContext())
    expect(JSON.stringify(wire.asked[0]?.headers)).toContain('key-in-variable')
  })
})

describe('a client that is given', () => {
  it('is used with what it knows, and its retries are not', async () => {
    await using wire = await openWire()
    const client = new Anthropic({
      apiKey: 'k',
      baseURL: wire.url,
      maxRetries: 5,
      defaultHeaders: { 'anthropic-beta': 'some-beta' },
      logLevel: 'off',
    })
    wire.answer({ status: 500, body: '{}' })
    await expect(anthropic('claude-test', { client }).ask(REQUEST, askContext())).rejects.toMatchObject({ status: 500, final: false })
    expect(wire.asked).toHaveLength(1)
    expect(wire.asked[0]?.headers['anthropic-beta']).toBe('some-beta')
  })

  it('is given as long for a whole answer as it says', async () => {
    await using wire = await openWire()
    const client = new Anthropic({ apiKey: 'k', baseURL: wire.url, timeout: 50, logLevel: 'off' })
    wire.answer({ body: '', broken: { after: 'nothing', by: 'silence' } })
    const asking = anthropic('claude-test', { client, stream: false }).ask(REQUEST, askContext())
    await expect(asking).rejects.toMatchObject({ kind: 'timeout', code: 'model_unavailable', final: false })
  })

  it('that does not send gives a final failure, without its words', async () => {
    const client = clientThatThrows(new AnthropicError('words of the client'))
    const asking = anthropic('claude-test', { client }).ask(REQUEST, askContext())
    await expect(asking).rejects.toMatchObject({
      code: 'model_request_rejected',
      final: true,
      message: expect.not.stringContaining('words'),
    })
  })

  it('that fails in its own way is asked again, and nothing of what it threw is passed on', async () => {
    const slip = new TypeError('a slip of the client')
    await expect(anthropic('claude-test', { client: clientThatThrows(slip) }).ask(REQUEST, askContext())).rejects.toMatchObject({
      code: 'model_unavailable',
      final: false,
      message: 'The client of Anthropic failed.',
    })
  })
})

function clientThatThrows(thrown: Error): AnthropicClient {
  return {
    messages: {
      create: () => {
        throw thrown
      },
    },
  }
}
