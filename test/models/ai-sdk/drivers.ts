// Provider packages of the AI SDK, each on the wire of its provider.

import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { aiSdk } from '../../../adapters/models/ai-sdk.ts'
import { driver as anthropicWire } from '../anthropic/driver.ts'
import type { Driver } from '../driver.ts'
import { chatDriver } from '../openai/chat-driver.ts'
import { responsesDriver } from '../openai/responses-driver.ts'

export const anthropic: Driver = {
  ...anthropicWire,
  rewrites: true,
  ofStreams: ['eager_input_streaming'],
  model: ({ baseURL, apiKey, ...options }) =>
    aiSdk(createAnthropic({ baseURL, apiKey })('claude-test'), { ...options, maxOutputTokens: 1_024 }),
}

export const responses: Driver = {
  ...responsesDriver,
  model: ({ baseURL, apiKey, ...options }) => aiSdk(createOpenAI({ baseURL, apiKey })('gpt-5'), { ...options, maxOutputTokens: 1_024 }),
}

export const chat: Driver = {
  ...chatDriver,
  model: ({ baseURL, apiKey, ...options }) =>
    aiSdk(createOpenAI({ baseURL, apiKey }).chat('test-model'), { ...options, maxOutputTokens: 1_024 }),
}
