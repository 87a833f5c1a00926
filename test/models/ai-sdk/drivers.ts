// Provider packages of the AI SDK on the wires of their providers.

import { createAnthropic } from '@ai-sdk/anthropic'
import { aiSdk } from '../../../adapters/models/ai-sdk.ts'
import { driver as anthropicWire } from '../anthropic/driver.ts'
import type { Driver } from '../driver.ts'

export const anthropic: Driver = {
  ...anthropicWire,
  rewrites: true,
  model: ({ baseURL, apiKey, stream, stallMs }) => aiSdk(createAnthropic({ baseURL, apiKey })('claude-test'), { stream, stallMs }),
}
