// Digests say "the same" exactly when the calls or requests are the same.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { argumentsDigest, requestDigest } from '../../machines/digest.ts'
import type { JsonObject } from '../../machines/json.ts'
import type { ModelRequest } from '../../machines/ports/model.ts'

const key = new Uint8Array(32).fill(7)
const objects = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })).map(value => JSON.parse(JSON.stringify(value)) as JsonObject)

/** The same value with its keys the other way round, all the way down. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, inner]) => [name, reversed(inner)]),
  )
}

describe('the digest of arguments', () => {
  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(objects, value => {
        expect(argumentsDigest(key, 'edit', reversed(value) as JsonObject)).toBe(argumentsDigest(key, 'edit', value))
      }),
    )
  })

  it('differs by key, tool and value, and no value can speak for another tool', () => {
    const digests = [
      argumentsDigest(key, 'edit', { path: 'a' }),
      argumentsDigest(new Uint8Array(32), 'edit', { path: 'a' }),
      argumentsDigest(key, 'edi', { path: 'a' }),
      argumentsDigest(key, 'edit', { path: '/etc/x' }),
      argumentsDigest(key, 'edit', { path: ['a'] }),
      argumentsDigest(key, 'edit","x', {}),
    ]
    expect(new Set(digests).size).toBe(digests.length)
  })

  it('fits the digest field of events', () => {
    expect(argumentsDigest(key, 'edit', {})).toMatch(/^[A-Za-z0-9_-]{43}$/)
  })

  it('is pinned: a stored digest must be recognised by later versions', () => {
    expect(argumentsDigest(key, 'edit', { b: 1, a: ['x', null] })).toBe('VNjUX2kK2OiiQ4hRwh1U378b-fbibbWbmz5xlbRBlOo')
  })
})

describe('the digest of a request', () => {
  const request: ModelRequest = {
    system: 'Be brief.',
    messages: [{ role: 'user', text: 'Hello' }],
    tools: [{ name: 'read', description: 'Read.', inputSchema: { type: 'object' } }],
    output: null,
    providerTools: [],
    callsPerRound: 16,
    truncations: 0,
  }

  it('does not depend on the order of keys', () => {
    expect(requestDigest(reversed(request) as ModelRequest)).toBe(requestDigest(request))
  })

  it.each([
    ['system', { system: null }],
    ['messages', { messages: [] }],
    ['tools', { tools: [] }],
    ['output', { output: { schema: true, mode: 'prompted' as const } }],
    ['providerTools', { providerTools: [{ name: 'web', replayPolicy: 'read-only' as const }] }],
    ['callsPerRound', { callsPerRound: 1 }],
    ['truncations', { truncations: 1 }],
  ])('changes with %s', (_, change) => {
    expect(requestDigest({ ...request, ...change })).not.toBe(requestDigest(request))
  })

  it('is pinned', () => {
    expect(requestDigest(request)).toBe('e1264cb259cb401563e0f17ad0ad520d015c216b3a438c45ae2b0b0e84654cac')
  })
})
