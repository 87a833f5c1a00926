// Goal: what a host advertises is facets of two known families, says what is out of scope, and lists every effect outside its dispatch.

import { describe, expect, test } from 'vitest'
import { capabilityDocument, effectSeams, type Advertised } from '../../machines/capabilities.ts'
import { DEFAULT_LIMITS } from '../../machines/limits.ts'

const advertised: Advertised = {
  limits: { ...DEFAULT_LIMITS, clarifications: 7 },
  ask: 'ask_user',
  providerTools: [{ name: 'web_search', replayPolicy: 'read-only' }],
  model: { toolCalls: 'native', enforcedOutput: true },
}

describe('the capability document', () => {
  test('advertises the replay of turns, and no family of its own (D10)', () => {
    const document = capabilityDocument(advertised)
    expect(Object.keys(document)).toEqual(['toolHooks', 'aiProviders'])
    expect(document).toMatchObject({ toolHooks: { turnReplay: true } })
  })

  test('says that chat and voice turns are out of scope (D12)', () => {
    expect(capabilityDocument(advertised)).toMatchObject({ toolHooks: { outOfScope: ['chat turns', 'voice turns'] } })
  })

  test('bounds the asks under the name that the source document gave the limit', () => {
    const { limits } = capabilityDocument(advertised).toolHooks as { limits: { [name: string]: number } }
    expect(limits).toMatchObject({ clarificationRounds: 7, rounds: 10, recordBytes: 65_536 })
    expect(limits).not.toHaveProperty('clarifications')
  })

  test('says whether a person can be asked, and what the model can do', () => {
    expect(capabilityDocument(advertised)).toMatchObject({
      toolHooks: { clarification: true },
      aiProviders: { toolCalls: 'native', enforcedOutput: true, providerExecutedTools: advertised.providerTools, delegatedTransports: [] },
    })
    expect(capabilityDocument({ ...advertised, ask: null, model: null, providerTools: [] })).toMatchObject({
      toolHooks: { clarification: false },
      aiProviders: { toolCalls: null, enforcedOutput: null, providerExecutedTools: [] },
    })
  })

  test('names the gates in their order, and the six outcomes', () => {
    expect(capabilityDocument(advertised)).toMatchObject({
      toolHooks: {
        admission: ['completion', 'name', 'arguments', 'trust', 'authorization', 'limits', 'redaction', 'dispatch'],
        outcomes: ['executed', 'refused', 'held', 'suppressed-repeat', 'ended-turn', 'invalid'],
      },
    })
  })
})

test('the effect-seam manifest has a row for each provider tool, and none by default (F1)', () => {
  expect(effectSeams([])).toEqual([])
  expect(effectSeams(advertised.providerTools)).toEqual([{ kind: 'provider', name: 'web_search', replayPolicy: 'read-only' }])
})
