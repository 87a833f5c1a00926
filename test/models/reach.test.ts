// Goal: a key and a transcript go to the server that the host named, and neither they nor an address stand in what is thrown.

import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { anthropic } from '../../adapters/models/anthropic.ts'
import { openai, openaiChat } from '../../adapters/models/openai.ts'
import { askContext, failureOf, REQUEST } from './asking.ts'
import { openWire } from './wire.ts'

afterEach(() => vi.unstubAllEnvs())

const ADAPTERS = [
  { name: 'anthropic', make: anthropic, url: 'ANTHROPIC_BASE_URL', key: 'ANTHROPIC_API_KEY' },
  { name: 'openai', make: openai, url: 'OPENAI_BASE_URL', key: 'OPENAI_API_KEY' },
  { name: 'openaiChat', make: openaiChat, url: 'OPENAI_BASE_URL', key: 'OPENAI_API_KEY' },
] as const

const SECRET = 'word-of-nobody'
const refused = (option: string) => expect.objectContaining({ code: 'option_invalid', details: expect.objectContaining({ option }) })

function thrownBy(make: () => unknown): unknown {
  try {
    make()
  } catch (thrown) {
    return thrown
  }
  throw new Error('nothing was thrown')
}

describe.each(ADAPTERS)('$name', ({ make, url, key }) => {
  it.each([`http://${SECRET}:x@127.0.0.1`, `${SECRET} is no address`, `ftp://${SECRET}`])('refuses the address %s', address => {
    const given = thrownBy(() => make('m', { apiKey: 'k', baseURL: address }))
    expect(given).toEqual(refused('baseURL'))
    vi.stubEnv(url, address)
    const found = thrownBy(() => make('m', { apiKey: 'k' }))
    expect(found).toEqual(refused(url))
    expect(inspect([given, found], { depth: null, showHidden: true })).not.toContain(SECRET)
  })

  it.each([`${SECRET}\nx`, `${SECRET}\n`, ` ${SECRET}`, `${SECRET}€`])('refuses a key that no header can hold: %j', unfit => {
    const given = thrownBy(() => make('m', { apiKey: unfit }))
    expect(given).toEqual(refused('apiKey'))
    expect(inspect(given, { depth: null, showHidden: true })).not.toContain(SECRET)
  })

  it('takes a key of the environment without the space around it, and refuses one that no header can hold', () => {
    vi.stubEnv(key, `${SECRET}\n`)
    expect(() => make('m')).not.toThrow()
    vi.stubEnv(key, `${SECRET}\nx`)
    const found = thrownBy(() => make('m'))
    expect(found).toEqual(refused(key))
    expect(inspect(found, { depth: null, showHidden: true })).not.toContain(SECRET)
  })

  it.each([307, 308])('goes to no other server where the one that was named points to it with %s', async status => {
    await using named = await openWire()
    await using other = await openWire()
    named.answer({ status, headers: { location: `${other.url}/v1` }, body: '' })
    const failure = await failureOf(make('m', { apiKey: 'k', baseURL: named.url }).ask(REQUEST, askContext()))
    expect(failure).toMatchObject({ kind: 'http', status, code: 'model_request_rejected', final: true })
    expect(other.asked).toEqual([])
  })

  it('passes on nothing of what a client of the host throws', async () => {
    const create = (): never => {
      throw new TypeError(SECRET, { cause: { headers: { authorization: SECRET } } })
    }
    const client = { messages: { create }, chat: { completions: { create } }, responses: { create }, baseURL: 'http://127.0.0.1' }
    const failure = await failureOf(make('m', { client: client as never }).ask(REQUEST, askContext()))
    expect(failure).toMatchObject({ code: 'model_unavailable', final: false })
    expect(inspect(failure, { depth: null, showHidden: true })).not.toContain(SECRET)
  })
})
