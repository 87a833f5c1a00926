// Goal: what cannot be meant is refused at the door, and what a package throws is said in our words.

import type { LanguageModelV4 } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { inspect } from 'node:util'
import { createOpenAI } from '@ai-sdk/openai'
import { aiSdk } from '../../../adapters/models/ai-sdk.ts'
import { refusal } from '../../authoring/turn.ts'
import { wrong } from '../../door/given.ts'
import { askContext, failureOf, REQUEST } from '../asking.ts'
import { failingModel, fakeModel } from './fake.ts'

const MODEL = fakeModel([])

describe('a model', () => {
  it('has the name that the package gives it, or the host', () => {
    expect(aiSdk(MODEL)).toMatchObject({ name: 'nobody.chat/m', capabilities: { toolCalls: 'native', enforcedOutput: false } })
    expect(aiSdk(MODEL, { name: 'mine', enforcedOutput: true, toolCalls: 'none' })).toMatchObject({
      name: 'mine',
      capabilities: { toolCalls: 'none', enforcedOutput: true },
    })
  })

  it.each<readonly [string, unknown, RegExp]>([
    ['of an older version', { ...MODEL, specificationVersion: 'v3' }, /specification v4.*this one is of v3/],
    ['of no version', { ...MODEL, specificationVersion: undefined }, /of none/],
    ['by its name alone', 'openai/gpt-5', /a name alone/],
    ['that is none', null, /languageModel/],
    ['that cannot be asked', { ...MODEL, doStream: undefined }, /doStream/],
    ['without a name', { ...MODEL, modelId: '' }, /modelId/],
  ])('%s is refused', (_, given, said) => {
    const { code, message } = refusal(() => aiSdk(wrong<LanguageModelV4>(given)))
    expect(code).toBe('option_invalid')
    expect(message).toMatch(said)
  })
})

describe('an option', () => {
  const provider = (id: string, more = {}) => ({ providerTools: { x: { type: 'provider', id, args: {}, ...more } } })

  it.each<readonly [string, object, RegExp]>([
    ['that is none', { maxTokens: 1 }, /options\.maxTokens/],
    ['stream', { stream: 'yes' }, /stream/],
    ['stallMs', { stallMs: 0 }, /stallMs/],
    ['a silence that no timer counts', { stallMs: 2 ** 40 }, /stallMs/],
    ['maxOutputTokens', { maxOutputTokens: 1.5 }, /maxOutputTokens/],
    ['enforcedOutput', { enforcedOutput: 1 }, /enforcedOutput/],
    ['toolCalls', { toolCalls: 'some' }, /toolCalls/],
    ['name', { name: '' }, /name/],
    ['providerOptions', { providerOptions: [] }, /providerOptions/],
    ['options of a provider', { providerOptions: { openai: 1 } }, /providerOptions/],
    ['a function in options', { providerOptions: { openai: { f: () => 1 } } }, /providerOptions/],
    ['tool servers in options', { providerOptions: { anthropic: { mcpServers: [] } } }, /MCP/],
    ['tool servers deep in options', { providerOptions: { x: { tools: [{ type: 'mcp', url: 'u' }] } } }, /MCP/],
    ['a search in options', { providerOptions: { xai: { searchParameters: {} } } }, /searchParameters.*providerTools/],
    ['providerTools', { providerTools: [] }, /providerTools/],
    ['a function tool', { providerTools: { x: { type: 'function', name: 'x' } } }, /providerTools\.x/],
    ['a tool without an id', provider('x'), /providerTools\.x\.id/],
    ['a tool that this side runs', provider('nobody.bash', { isProviderExecuted: false }), /written with tool\(\)/],
    ['a tool server', provider('openai.mcp'), /MCP/],
    ['a tool server by another name', provider('anthropic.mcp_toolset_20260101'), /MCP/],
    ['an agent', provider('nobody.a2a'), /A2A/],
    ['a tool server in arguments', provider('nobody.x', { args: { mcp_servers: [] } }), /MCP/],
    ['a function in arguments', provider('nobody.x', { args: { execute: () => 1 } }), /providerTools\.x\.args/],
  ])('%s is refused', (_, options, said) => {
    const { code, message } = refusal(() => aiSdk(MODEL, options))
    expect(code).toBe('option_invalid')
    expect(message).toMatch(said)
  })

  it('with a word that only looks like one of tool servers is taken', () => {
    expect(refusal.bind(null, () => aiSdk(MODEL, { providerOptions: { x: { data2api: 1, tcmcp: 2 } } }))).toThrow('nothing was refused')
  })
})

describe('what a package throws', () => {
  const SECRET = 'key-of-nobody-1f6e and what was asked'
  const error = (name: string, more: object = {}) => Object.assign(new Error(SECRET), { name, ...more })
  const call = (more: object) => error('AI_APICallError', { requestBodyValues: SECRET, responseBody: SECRET, ...more })

  it.each<readonly [string, unknown, object]>([
    ['no status', call({}), { kind: 'reset', code: 'model_unavailable', final: false }],
    ['a status', call({ statusCode: 503 }), { kind: 'http', status: 503, code: 'model_unavailable', final: false }],
    [
      'a time to wait',
      call({ statusCode: 429, isRetryable: true, responseHeaders: { 'Retry-After': '3' } }),
      { kind: 'http', status: 429, retryAfterMs: 3_000, final: false },
    ],
    ['a quota that is used up', call({ statusCode: 429, isRetryable: false }), { code: 'model_request_rejected', final: true }],
    [
      'a context that is full',
      call({ statusCode: 400, data: { error: { code: 'context_length_exceeded' } } }),
      { code: 'model_context_exceeded', final: true },
    ],
    [
      'a context that is full, in words',
      call({
        statusCode: 400,
        data: { error: { message: 'The input token count (9) exceeds the maximum number of tokens allowed (8).' } },
      }),
      { code: 'model_context_exceeded', final: true },
    ],
    [
      'an answer that it cannot read',
      call({ statusCode: 200, cause: error('AI_TypeValidationError') }),
      { code: 'model_protocol_violation', final: true },
    ],
    ['half an answer', call({ statusCode: 200, cause: error('AI_JSONParseError') }), { code: 'model_unavailable', final: false }],
    ['no body', error('AI_EmptyResponseBodyError'), { kind: 'reset', final: false }],
    ['an answer that is none', error('AI_InvalidResponseDataError'), { code: 'model_protocol_violation', final: true }],
    [
      'no key',
      error('AI_LoadAPIKeyError'),
      { code: 'model_request_rejected', final: true, message: expect.stringContaining('has no API key') },
    ],
    ['what it does not support', error('AI_UnsupportedFunctionalityError'), { code: 'model_request_rejected', final: true }],
    ['a time that is up', error('TimeoutError'), { kind: 'timeout', final: false }],
    [
      'a connection that is gone',
      Object.assign(new TypeError('terminated'), { cause: { code: 'UND_ERR_SOCKET' } }),
      { kind: 'reset', final: false },
    ],
    ['a bug', new TypeError(SECRET), { code: 'model_unavailable', final: false }],
    ['no error at all', SECRET, { code: 'model_unavailable', final: false }],
  ])('%s, says so in our words alone', async (_, thrown, failure) => {
    for (const stream of [true, false]) {
      const said = await failureOf(aiSdk(failingModel(thrown), { stream }).ask(REQUEST, askContext()))
      expect(said).toMatchObject(failure)
      expect(inspect(said, { depth: null, showHidden: true })).not.toContain('key-of-nobody')
    }
  })

  it.each([
    [
      { statusCode: 429, isRetryable: false, code: 'insufficient_quota' },
      { code: 'model_request_rejected', final: true },
    ],
    [{ statusCode: 529 }, { status: 529, code: 'model_unavailable', final: false }],
    [{ type: 'words' }, { code: 'model_unavailable', final: false }],
  ])('into a stream, is a failure as well: %j', async (given, failure) => {
    const model = fakeModel([[{ type: 'error', error: { message: SECRET, data: SECRET, ...given } }]])
    const said = await failureOf(aiSdk(model).ask(REQUEST, askContext()))
    expect(said).toMatchObject(failure)
    expect(inspect(said, { depth: null, showHidden: true })).not.toContain('key-of-nobody')
  })

  it('because a filter stopped the request, is a refusal', async () => {
    const thrown = call({ statusCode: 400, data: { error: { code: 'content_filter' } } })
    expect(await aiSdk(failingModel(thrown)).ask(REQUEST, askContext())).toEqual({
      completion: 'refused',
      stop: 'content_filter',
      items: [],
    })
  })

  it('where there is no key, is final', async () => {
    const model = aiSdk(createOpenAI({ baseURL: 'http://127.0.0.1:9', apiKey: wrong<string>(undefined) })('gpt-5'))
    const kept = process.env['OPENAI_API_KEY']
    delete process.env['OPENAI_API_KEY']
    try {
      expect(await failureOf(model.ask(REQUEST, askContext()))).toMatchObject({ code: 'model_request_rejected', final: true })
    } finally {
      if (kept !== undefined) process.env['OPENAI_API_KEY'] = kept
    }
  })
})
