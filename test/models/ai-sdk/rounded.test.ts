// Goal: a number that a package may have rounded on the way never reaches a tool.

import type { LanguageModelV4Content } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { aiSdk } from '../../../adapters/models/ai-sdk.ts'
import { askContext, failureOf, REQUEST } from '../asking.ts'
import { wholeModel } from './fake.ts'

const asked = (input: string, body?: unknown) => {
  const content: LanguageModelV4Content = { type: 'tool-call', toolCallId: 'c1', toolName: 'refund', input }
  return aiSdk(wholeModel([content], { unified: 'tool-calls', raw: undefined }, body), { stream: false }).ask(REQUEST, askContext())
}

describe('argument texts of whole answers', () => {
  it.each(['{"id":12345678901234567000}', '{"a":[{"b":1e21}]}', '{"a":0.30000000000000004}', '{"a":-9007199254740992}'])(
    'that the package wrote, with a number that may have been rounded, are refused: %s',
    async input => {
      const body = { content: [{ type: 'tool_use', input: JSON.parse(input) as object }] }
      expect(await failureOf(asked(input, body))).toMatchObject({ code: 'model_protocol_violation' })
    },
  )

  it.each(['{"id":9007199254740991}', '{"a":0.1,"b":-1.5e-7,"c":"12345678901234567890"}', '{}', 'no JSON', ''])(
    'that hold no such number are taken: %s',
    async input => {
      expect((await asked(input)).items).toMatchObject([{ arguments: input }])
    },
  )

  it('that the provider sent as texts are taken as they are', async () => {
    const input = '{"id": 12345678901234567890}'
    const body = { choices: [{ message: { tool_calls: [{ function: { arguments: input } }] } }] }
    expect((await asked(input, body)).items).toMatchObject([{ arguments: input }])
  })
})
