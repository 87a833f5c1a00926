// A turn of a model that runs on this machine, at a server that speaks Chat Completions.

import { createRuntime, tool } from 'toolturn'
import { openaiChat } from 'toolturn/openai'

const weather = tool({
  name: 'weather',
  description: 'The weather of a city, now. Use when somebody asks what it is like outside. Do not use for forecasts.',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false },
  replayPolicy: 'read-only',
  run: ({ city }) => ({ structuredContent: { city, sky: 'clear', celsius: 21 } }),
})

const runtime = await createRuntime({
  model: openaiChat('qwen3', { baseURL: process.env.MODEL_URL ?? 'http://localhost:11434/v1' }),
  tools: [weather],
})

const turn = await runtime.spawn({ input: 'Do I need a coat in Lisbon?', principal: null })
const { state, output, code } = await turn.result()
console.log(`${state}: ${output?.text ?? code}`)
await runtime.close()
