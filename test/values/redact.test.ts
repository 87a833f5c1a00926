// Secrets are masked wherever they stand and however they are known; nothing else is touched.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../adapters/redact.ts'
import { MASK } from '../../adapters/redaction/detectors.ts'
import { ToolturnError } from '../../machines/errors.ts'
import type { Json, JsonObject } from '../../machines/json.ts'
import { declaresSecrets } from '../../machines/schemas/secrets.ts'

const redactor = createRedactor()
const masked = (value: Json, schema?: JsonObject): Json => redactor.value(value, schema).value

/** Made of parts, so that no scanner of repositories takes this file for a leak. */
const joined = (...parts: readonly string[]): string => parts.join('')
const digits = '4fJ9xQ2LmN8rT6vB0cD3'

const SECRETS: readonly (readonly [name: string, text: string, secret: string])[] = [
  ['a bearer token in a header', 'Authorization: Bearer tst-7d1f0c9e2b8a4d6f9c3e51', 'tst-7d1f0c9e2b8a4d6f9c3e51'],
  ['a short bearer token in a header', 'Authorization: Bearer abc', 'abc'],
  ['a bearer token in a sentence', 'use bearer 7d1f0c9e2b8a', '7d1f0c9e2b8a'],
  ['basic credentials', 'authorization: Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
  ['a bare authorization', 'Authorization=7d1f0c9e2b8a', '7d1f0c9e2b8a'],
  ['a header inside JSON', '{"headers":{"Authorization":"Token abc def"},', 'abc'],
  ['an OpenAI-like key', joined('sk-', 'test-', digits), joined('sk-', 'test-', digits)],
  ['an Anthropic-like key', joined('sk-', 'ant-api03-', digits, '_-aa'), joined('sk-', 'ant-api03-', digits, '_-aa')],
  ['a Stripe key', joined('sk_', 'live_', digits), joined('sk_', 'live_', digits)],
  ['an AWS key', joined('AKIA', 'IOSFODNN7EXAMPLE'), joined('AKIA', 'IOSFODNN7EXAMPLE')],
  ['a GitHub token', joined('gh', 'p_', digits, digits), joined('gh', 'p_', digits, digits)],
  ['a GitLab token', joined('gl', 'pat-', digits), joined('gl', 'pat-', digits)],
  ['a Slack token', joined('xox', 'b-123456789012-', digits), joined('xox', 'b-123456789012-', digits)],
  ['a Google key', joined('AI', 'za', digits, digits), joined('AI', 'za', digits, digits)],
  ['an npm token', joined('npm', '_', digits, digits), joined('npm', '_', digits, digits)],
  ['a SendGrid key', joined('SG', '.', digits, '.', digits), joined('SG', '.', digits, '.', digits)],
  ['a JSON web token', joined('eyJ', 'hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'), 'eyJzdWIiOiIxIn0'],
  ['a private key', joined('-----BEGIN RSA ', 'PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----'), 'MIIEow'],
  ['a private key that was cut', joined('-----BEGIN ', 'PRIVATE KEY-----\nMIIEow'), 'MIIEow'],
  ['a password in an address', 'postgres://app:hunter2x@db.example.com/app', 'hunter2x'],
  ['a password with a colon in an address', 'https://u:a:b@example.com', 'a:b'],
  ['a key in a query', 'https://example.com/?api_key=zz1&page=2', 'zz1'],
  ['a setting', 'DB_PASSWORD=hunter2x next', 'hunter2x'],
  ['a header with a key', 'X-Api-Key: 7d1f0c9e2b8a', '7d1f0c9e2b8a'],
  ['a field in a piece of JSON', 'got {"clientSecret":"a\\"b c"} then', 'a\\"b c'],
  ['a field in JSON inside JSON', '"{\\"password\\":\\"p w\\",\\"x\\":1}"', 'p w'],
]

describe('a text', () => {
  it.each(SECRETS)('with %s is masked, and what stands around it stays', (_, text, secret) => {
    const before = 'The order 42 was found. '
    const after = ' Anything else?'
    const result = redactor.text(before + text + after)
    expect(result.changed).toBe(true)
    expect(result.text).not.toContain(secret)
    expect(result.text).toContain(MASK)
    expect(result.text.startsWith(before)).toBe(true)
    if (!secret.includes('MIIE')) expect(result.text.endsWith(after)).toBe(true)
  })

  it.each(SECRETS)('with %s behind an escaped line break is masked as well', (_, text, secret) => {
    expect(redactor.text(`line one\\n${text}`).text).not.toContain(secret)
  })

  it('of several secrets is masked in all places', () => {
    const all = SECRETS.filter(([name]) => !name.includes('cut'))
      .map(([, text]) => text)
      .join('\n')
    for (const [, , secret] of SECRETS) if (secret.length > 5) expect(redactor.text(all).text).not.toContain(secret)
  })

  it('masked once is masked: doing it again changes nothing', () => {
    const piece = fc.oneof(
      fc.constantFrom(...SECRETS.map(([, text]) => text), ...SECRETS.map(([, , secret]) => secret)),
      fc.constantFrom(MASK, '"', '\\"', ' ', ':', '=', '{"password":', 'token', 'Bearer ', '\\', '://', '@', '}', 'hunter2!x'),
      fc.string({ maxLength: 5 }),
    )
    const known = createRedactor({ values: ['hunter2!x'], detectors: ['ORD-[0-9]{4}'] })
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), pieces => {
        const once = known.text(pieces.join('')).text
        expect(known.text(once)).toEqual({ text: once, changed: false })
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('what is no secret', () => {
  it.each([
    'I would like to fly basic economy, or basic information about it.',
    'The bearer of this letter may enter; bearer certificates-of-deposit are gone.',
    'Authorization: please confirm your identity. Your password: it must be long.',
    'Write to mia.li3818@example.com about order #W2378156 and reservation 4WQ150.',
    'turn 0190a5b2-7c3e-7d1f-8c2b-1a2b3c4d5e6f, call_12, sha256 e1264cb259cb401563e0f17ad0ad520d015c216b3a438c45ae2b0b0e84654cac',
    'VNjUX2kK2OiiQ4hRwh1U378b-fbibbWbmz5xlbRBlOo and certificate_7504069 and gift_card_8190333',
    'next page_token=abc123def, max_tokens: 1024, tokens: 512, sk-learn, task-12345678901234567890',
    'https://example.com:8080/path?page=2#top and 2026-07-28T10:00:00.000Z and +49 30 1234567',
    'key: value, monkey=banana, keyboard: 12345678, "keys": "a b c"',
  ])('%s', text => {
    expect(redactor.text(text)).toEqual({ text, changed: false })
  })

  it('is given back as it is: the same value, not a copy', () => {
    const value = { page_token: 'abc', max_tokens: 5, has_password: true, password: null, secret: '', list: [{ text: '{"a": 1}' }] }
    expect(redactor.value(value)).toEqual({ value, changed: false })
    expect(redactor.value(value).value).toBe(value)
  })

  const airline = join(import.meta.dirname, '../../../shared/data/airline')
  // Reason: the recorded conversations are no part of the package and may not stand beside it.
  it.skipIf(!existsSync(airline))('is all of a hundred recorded conversations of an airline', () => {
    const lines = readFileSync(join(airline, 'conversations.jsonl'), 'utf8').trim().split('\n')
    for (const line of lines) expect(redactor.value(JSON.parse(line) as Json).changed).toBe(false)
    expect(redactor.text(readFileSync(join(airline, 'system.txt'), 'utf8')).changed).toBe(false)
  })
})

describe('fields by their name', () => {
  const names = ['api_key', 'apiKey', 'API-Key', 'x-api-key', 'password', 'dbPassword', 'token', 'access_token', 'clientSecret']

  it.each([...names, 'Authorization', 'set-cookie'])('%s is masked whole, whatever stands in it', name => {
    for (const held of ['x', 5, [1, 2], { a: 'b' }]) expect(masked({ [name]: held, other: 1 })).toEqual({ [name]: MASK, other: 1 })
  })

  it('are found at any depth, and in a text that is JSON', () => {
    expect(masked({ a: [{ b: { token: 'x' } }] })).toEqual({ a: [{ b: { token: MASK } }] })
    expect(redactor.text('{"a":[{"token":"x"}]}').text).toBe(`{"a":[{"token":"${MASK}"}]}`)
    expect(redactor.text('[{"nested":"{\\"token\\":\\"x\\"}"}]').text).not.toContain('x')
  })

  it('may be added by the host', () => {
    const own = createRedactor({ fields: ['customer_pin'] })
    expect(own.value({ customerPin: 1234 }).value).toEqual({ customerPin: MASK })
  })

  it('that hold secrets themselves are masked, and stay apart', () => {
    const [a, b] = [joined('sk-', 'test-', digits), joined('sk-', 'test-', digits, '9')]
    expect(masked({ [a]: 1, [b]: 2 })).toEqual({ [MASK]: 1, [`${MASK} 2`]: 2 })
  })

  it('called __proto__ are fields like any other', () => {
    const value = JSON.parse('{"__proto__":{"token":"x"}}') as Json
    expect(JSON.stringify(masked(value))).toBe(`{"__proto__":{"token":"${MASK}"}}`)
  })
})

describe('fields by their schema', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: {
      code: { type: 'string', writeOnly: true },
      cards: { type: 'array', items: { $ref: '#/$defs/card' } },
      login: { anyOf: [{ type: 'null' }, { properties: { pin: { 'x-secret': true }, name: {} } }] },
      again: { $ref: '#' },
      by: { patternProperties: { '^k': { writeOnly: true } }, additionalProperties: { properties: { deep: { writeOnly: true } } } },
    },
    if: { required: ['special'] },
    then: { properties: { special: { writeOnly: true } } },
    $defs: { card: { properties: { number: { writeOnly: true }, brand: {} } }, unused: { writeOnly: true } },
  }

  it('are masked wherever the schema declares them, numbers and objects whole', () => {
    const value = {
      code: { any: 'thing' },
      cards: [{ number: 4111, brand: 'x' }, { brand: 'y' }],
      login: { pin: [1, 2], name: 'mia' },
      again: { again: { code: 'x', plain: 1 } },
      by: { k1: 'x' },
      special: 'x',
    }
    expect(masked(value, schema)).toEqual({
      code: MASK,
      cards: [{ number: MASK, brand: 'x' }, { brand: 'y' }],
      login: { pin: MASK, name: 'mia' },
      again: { again: { code: MASK, plain: 1 } },
      by: { k1: MASK },
      special: MASK,
    })
  })

  it('cover the whole value where the schema itself is secret, or too large to be looked through', () => {
    expect(masked({ a: 1 }, { writeOnly: true })).toBe(MASK)
    expect(masked({ a: 1 }, { enum: Array.from({ length: 70_000 }, (_, index) => index) })).toBe(MASK)
  })

  it('are told from properties that are called so, and from definitions that nothing refers to', () => {
    expect(declaresSecrets(schema)).toBe(true)
    expect(declaresSecrets({ properties: { writeOnly: { type: 'boolean', default: true } } })).toBe(false)
    expect(declaresSecrets({ $defs: { unused: { writeOnly: true } } })).toBe(false)
    expect(declaresSecrets({ properties: { a: { writeOnly: 'yes' } } })).toBe(false)
    expect(declaresSecrets(true)).toBe(false)
  })

  it('that refer to themselves or to nothing are looked through once', () => {
    const value = { a: { a: { s: 1 } } }
    const endless = { properties: { a: { $ref: '#' }, s: { writeOnly: true }, n: { $ref: '#/none' } } }
    expect(masked(value, endless)).toEqual({ a: { a: { s: MASK } } })
    expect(masked(value, { $ref: '#' })).toBe(value)
  })

  it('masked once are masked', () => {
    const once = redactor.value({ code: 'x', cards: [{ number: 1 }] }, schema)
    expect(redactor.value(once.value, schema)).toEqual({ value: once.value, changed: false })
  })
})

describe('values that the host knows', () => {
  const known = createRedactor({ values: ['s3cr"t/v', 's3cr"t/v-longer', '12345678'] })

  it('are masked in texts, fields, names and numbers, the longest first', () => {
    expect(known.text('a s3cr"t/v-longer b').text).toBe(`a ${MASK} b`)
    expect(known.value({ note: 'x s3cr"t/v', n: 12345678 }).value).toEqual({ note: `x ${MASK}`, n: MASK })
  })

  it('are masked as JSON, as a part of an address and as base64', () => {
    const value = 's3cr"t/v'
    for (const form of [JSON.stringify(value).slice(1, -1), encodeURIComponent(value), Buffer.from(value).toString('base64')]) {
      expect(known.text(`(${form})`).text).toBe(`(${MASK})`)
    }
  })

  it.each([[['abc']], [['']], [['redacted']], [['fine', MASK]]])('%j are refused: they would mask what is no secret', values => {
    let thrown: unknown
    try {
      createRedactor({ values })
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(ToolturnError)
    expect(thrown).toMatchObject({ code: 'option_invalid', details: { option: 'redact.values' } })
  })
})

describe('detectors of the host', () => {
  it('mask what they match', () => {
    expect(createRedactor({ detectors: ['ORD-[0-9]{4}'] }).text('see ORD-1234').text).toBe(`see ${MASK}`)
  })

  it.each(['(', 'a*', '.', '(?=a)', '\\[red'])('%s is refused: no pattern, or one that masks everything', detector => {
    expect(() => createRedactor({ detectors: [detector] })).toThrow(ToolturnError)
  })
})

describe('hostile text', () => {
  const pieces = [
    ...['eyJ', 'eyJ-', 'eyJaaaaaaaaaaaaaaaaaa.', 'sk-', 'sk-a', 'xoxb-', 'SG.', 'AKIA', 'Bearer ', 'bearer\\n'],
    ...['authorization', 'authorization ', 'authorization:', 'authorization: bearer ', 'a://', '://a:', '://a:b', 'a@'],
    ...['-----BEGIN ', `-----BEGIN ${'PRIVATE'} KEY-----`],
    ...['password', 'password=', 'password:', '"password":"', '\\"password\\":\\"', '"password":"\\\\'],
    ...['passwordsecret', 'token', 'id_token'],
    ...['-', '_', ' ', '\\', '"', '\\"', '.', 'a', '1', '{"a":', '[', '[redacted]'],
  ]

  it.each(pieces)('a quarter of a megabyte of %j ends', piece => {
    const text = piece.repeat(Math.ceil(262_144 / piece.length))
    expect(redactor.text(redactor.text(text).text).changed).toBe(false)
  })

  it('a value nested deeper than any record ends', () => {
    let value: Json = { token: 'x' }
    for (let level = 0; level < 5_000; level += 1) value = [value]
    expect(JSON.stringify(masked(value))).not.toContain('token')
  })
})
