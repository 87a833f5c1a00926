// Goal: what a host says of its model is checked at the door, and a key goes to the server that it is for and nowhere else.

import OpenAI from 'openai'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createRuntime } from '../../../adapters/host.ts'
import { tool } from '../../../adapters/tool.ts'
import { openai, openaiChat } from '../../../adapters/models/openai.ts'
import { askContext, REQUEST } from '../asking.ts'
import { openWire } from '../wire.ts'
import { completion } from './chat-driver.ts'
import { message, response, whole } from './responses-driver.ts'

afterEach(() => vi.unstubAllEnvs())

const both = [
  ['openai', openai],
  ['openaiChat', openaiChat],
] as const

const refused = (option: string) => expect.objectContaining({ code: 'option_invalid', details: expect.objectContaining({ option }) })

describe.each(both)('%s', (_, make) => {
  it.each([
    [{ temprature: 1 }, 'options.temprature'],
    [{ apiKey: '' }, 'apiKey'],
    [{ baseURL: 'localhost:8000' }, 'baseURL'],
    [{ baseURL: 'file:///etc/passwd' }, 'baseURL'],
    [{ stream: 'yes' }, 'stream'],
    [{ stallMs: 0 }, 'stallMs'],
    [{ maxOutputTokens: 1.5 }, 'maxOutputTokens'],
    [{ enforcedOutput: 1 }, 'enforcedOutput'],
    [{ client: {} }, 'client'],
    [{ client: null }, 'client'],
    [{ body: [] }, 'body'],
    [{ body: { model: 'other' } }, 'body.model'],
    [{ body: { tool_choice: 'required' } }, 'body.tool_choice'],
    [{ body: { plugins: [{ id: 'web' }] } }, 'body.plugins'],
    [{ body: { mcp_servers: [] } }, 'body.mcp_servers'],
    [{ body: { more: { tools: [{ type: 'mcp' }] } } }, 'body'],
    [{ body: { metadata: { mcpServers: [] } } }, 'body'],
  ])('refuses %j', (options, option) => {
    expect(() => make('m', { apiKey: 'k', ...options } as object)).toThrow(refused(option))
  })

  it('refuses a model without a name, and a client beside a key or an address', () => {
    const client = new OpenAI({ apiKey: 'k' })
    expect(() => make('', { apiKey: 'k' })).toThrow(refused('model'))
    expect(() => make('m', { client, apiKey: 'k' })).toThrow(refused('apiKey'))
    expect(() => make('m', { client, baseURL: 'https://x.example.com' })).toThrow(refused('baseURL'))
  })

  it('names the variable where there is no key for OpenAI', () => {
    vi.stubEnv('OPENAI_API_KEY', '')
    expect(() => make('m')).toThrow(/OPENAI_API_KEY/)
    expect(() => make('m', { baseURL: 'https://eu.api.openai.com/v1' })).toThrow(refused('apiKey'))
  })
})

describe('keys', () => {
  /** The headers of one request. */
  async function headersOf(make: typeof openai | typeof openaiChat, options: object) {
    await using wire = await openWire()
    wire.answer(make === openai ? whole(response([message('Yes.')])) : completion({ content: 'Yes.' }, 'stop'))
    await make('m', { baseURL: wire.url, stream: false, ...options }).ask(REQUEST, askContext())
    return wire.asked[0]?.headers ?? {}
  }

  it('of the environment are for OpenAI: compatible servers get none, and nothing of the account', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'key-of-the-environment')
    vi.stubEnv('OPENAI_ORG_ID', 'org-of-the-environment')
    vi.stubEnv('OPENAI_PROJECT_ID', 'project-of-the-environment')
    const headers = await headersOf(openaiChat, {})
    expect(headers['authorization']).toBe('Bearer none')
    expect(JSON.stringify(headers)).not.toContain('of-the-environment')
    expect((await headersOf(openaiChat, { apiKey: 'own-key' }))['authorization']).toBe('Bearer own-key')
    expect((await headersOf(openai, {}))['authorization']).toBe('Bearer key-of-the-environment')
  })

  it('of the environment go where the environment points', async () => {
    await using wire = await openWire()
    vi.stubEnv('OPENAI_API_KEY', 'key-of-the-environment')
    vi.stubEnv('OPENAI_BASE_URL', wire.url)
    wire.answer(completion({ content: 'Yes.' }, 'stop'))
    await openaiChat('m', { stream: false }).ask(REQUEST, askContext())
    expect(wire.asked[0]?.headers['authorization']).toBe('Bearer key-of-the-environment')
  })
})

it('asks a given client once for each try, whatever it would do by itself', async () => {
  await using wire = await openWire()
  wire.answer({ status: 500, body: '{}' }, { status: 500, body: '{}' })
  const client = new OpenAI({ apiKey: 'k', baseURL: wire.url, maxRetries: 5, logLevel: 'off' })
  await expect(openaiChat('m', { client }).ask(REQUEST, askContext())).rejects.toMatchObject({ status: 500 })
  await expect(openai('m', { client }).ask(REQUEST, askContext())).rejects.toMatchObject({ status: 500 })
  expect(wire.asked).toHaveLength(2)
})

describe('tools of the provider', () => {
  it.each([
    [{ x: { type: 'mcp', server_label: 'x', server_url: 'https://x.example.com' } }, 'providerTools.x'],
    [{ x: { type: 'web_search', more: [{ type: 'mcp' }] } }, 'providerTools.x'],
    [{ x: { type: 'computer_use_preview' } }, 'providerTools.x'],
    [{ x: { type: 'shell' } }, 'providerTools.x'],
    [{ x: { type: 'custom', name: 'x' } }, 'providerTools.x'],
    [{ x: { type: 'function', name: 'x' } }, 'providerTools.x'],
    [{ x: {} }, 'providerTools.x'],
    [{ x: 'web_search' }, 'providerTools.x'],
    [{ a: { type: 'web_search' }, b: { type: 'web_search_preview' } }, 'providerTools.b'],
  ])('that run elsewhere, or could not be told apart, are refused: %j', (providerTools, option) => {
    expect(() => openai('m', { apiKey: 'k', providerTools: providerTools as never })).toThrow(refused(option))
  })

  it.each(['web_search', 'web_search_preview', 'web_search_2025_08_26', 'file_search', 'code_interpreter', 'image_generation'])(
    'that run at OpenAI are taken: %s',
    type => {
      expect(() => openai('m', { apiKey: 'k', providerTools: { x: { type } } })).not.toThrow()
    },
  )
})

describe('what a model can do', () => {
  it('follows from its server, and can be said', () => {
    const elsewhere = { baseURL: 'http://127.0.0.1:1/v1' }
    expect(openai('m', { apiKey: 'k' })).toMatchObject({ name: 'openai/m', capabilities: { toolCalls: 'native', enforcedOutput: true } })
    expect(openaiChat('m', { apiKey: 'k' })).toMatchObject({ name: 'openai-chat/m', capabilities: { enforcedOutput: true } })
    expect(openaiChat('m', elsewhere).capabilities).toEqual({ toolCalls: 'native', enforcedOutput: false })
    expect(openaiChat('m', { ...elsewhere, enforcedOutput: true, toolCalls: 'none' }).capabilities).toEqual({
      ...{ toolCalls: 'none', enforcedOutput: true },
    })
    expect(() => openaiChat('m', { ...elsewhere, toolCalls: 'some' as 'none' })).toThrow(refused('toolCalls'))
    expect(() => openaiChat('m', { ...elsewhere, budgetField: 'tokens' as 'max_tokens' })).toThrow(refused('budgetField'))
  })

  it('keeps a turn with tools from being sent to a server without (E4)', async () => {
    await using wire = await openWire()
    const look = tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, replayPolicy: 'read-only', run: () => 'ok' })
    const runtime = await createRuntime({ tools: [look], model: openaiChat('m', { baseURL: wire.url, toolCalls: 'none' }) })
    const turn = await runtime.spawn({ input: 'Look.', principal: null })
    expect(await turn.result()).toMatchObject({ state: 'failed', code: 'model_tools_unsupported' })
    await runtime.close()
    expect(wire.asked).toEqual([])
  })
})
