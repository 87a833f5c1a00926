// Goal: a scripted model says the same to whoever asks from the same place, so that a process that died in between changes nothing.

import { describe, expect, it } from 'vitest'
import { createRuntime } from '../../adapters/host.ts'
import type { ScriptedRound } from '../../adapters/models/script.ts'
import { scripted, type ScriptedOptions } from '../../adapters/models/scripted.ts'
import type { ModelRequest } from '../../machines/ports/model.ts'

const REQUEST: ModelRequest = { system: null, messages: [], tools: [], output: null, providerTools: [], callsPerRound: 16, truncations: 0 }

const says = (text: string): ScriptedRound => ({ stop: 'end', content: [{ text }] })
const FAILS: ScriptedRound = { fail: { kind: 'http', status: 503 } }

/** Asks for a round of an attempt, at the given try of it. */
function ask(rounds: readonly ScriptedRound[], round: number, tried = 1, options: ScriptedOptions = {}) {
  const place = {
    turnId: 't',
    attempt: 1,
    round,
    try: tried,
    signal: new AbortController().signal,
    purpose: 'live' as const,
    onDelta: () => {},
  }
  return scripted(rounds, options).ask(REQUEST, place)
}

async function said(...asked: Parameters<typeof ask>): Promise<unknown> {
  return (await ask(...asked)).items
}

const text = (words: string) => [{ kind: 'text', text: words }]

describe('a script', () => {
  it('is taken entry by entry, and the same from the same place', async () => {
    const rounds = [says('one'), says('two')]
    expect(await said(rounds, 1)).toEqual(text('one'))
    expect(await said(rounds, 2)).toEqual(text('two'))
    expect(await said(rounds, 2)).toEqual(text('two'))
  })

  it('gives each failure to the try that meets it', async () => {
    const rounds = [FAILS, FAILS, says('one'), FAILS, says('two')]
    await expect(ask(rounds, 1, 1)).rejects.toMatchObject({ modelFailure: true, status: 503, final: false })
    await expect(ask(rounds, 1, 2)).rejects.toMatchObject({ code: 'model_unavailable' })
    expect(await said(rounds, 1, 3)).toEqual(text('one'))
    await expect(ask(rounds, 2, 1)).rejects.toMatchObject({ kind: 'http' })
    expect(await said(rounds, 2, 2)).toEqual(text('two'))
  })

  it('says when it is at its end', async () => {
    await expect(ask([says('one')], 2)).rejects.toMatchObject({ code: 'mock_program_exhausted', final: true })
    await expect(ask([says('one'), FAILS], 2, 2)).rejects.toMatchObject({ code: 'mock_program_exhausted' })
  })

  it('says its last entry again where it is to', async () => {
    expect(await said([says('one')], 7, 1, { whenExhausted: 'repeat-last' })).toEqual(text('one'))
    await expect(ask([FAILS], 1, 7, { whenExhausted: 'repeat-last' })).rejects.toMatchObject({ status: 503 })
  })

  it('sends nothing once it is aborted', async () => {
    const place = { turnId: 't', attempt: 1, round: 1, try: 1, signal: AbortSignal.abort(), purpose: 'live' as const, onDelta: () => {} }
    await expect(scripted([says('one')]).ask(REQUEST, place)).rejects.toThrow()
  })
})

describe('an entry', () => {
  it.each([
    ['tool_calls', 'clean'],
    ['end', 'clean'],
    ['length', 'truncated'],
    ['context', 'truncated'],
    ['refusal', 'refused'],
    ['filter', 'refused'],
    ['pause', 'paused'],
    ['stop', 'truncated'],
    ['zzz', 'truncated'],
  ])('that stops with %s is %s', async (stop, completion) => {
    expect(await ask([{ stop, content: [] }], 1)).toMatchObject({ stop, completion })
  })

  it('hands on its content as it stands', async () => {
    const content = [
      { call: { name: 'a' } },
      { call: { id: '', name: ' a', arguments: '{"b":' } },
      { call: { id: 'c1', name: 'a', arguments: { b: [1] } } },
      { opaque: { signed: 'x' } },
      { providerTool: { name: 'search', input: { q: 1 } } },
    ]
    const { items, refusal } = await ask([{ stop: 'end', content, refusal: 'No.' }], 1)
    expect(refusal).toBe('No.')
    expect(items).toEqual([
      { kind: 'call', id: null, name: 'a', arguments: null },
      { kind: 'call', id: '', name: ' a', arguments: '{"b":' },
      { kind: 'call', id: 'c1', name: 'a', arguments: '{"b":[1]}' },
      { kind: 'opaque', value: { signed: 'x' } },
      { kind: 'provider-tool', name: 'search', input: { q: 1 } },
    ])
  })

  it.each([
    [{ kind: 'http', status: 529 }, 'model_unavailable', false],
    [{ kind: 'http', status: 429 }, 'model_unavailable', false],
    [{ kind: 'http', status: 400 }, 'model_request_rejected', true],
    [{ kind: 'http', status: 413 }, 'model_context_exceeded', true],
    [{ kind: 'timeout' }, 'model_unavailable', false],
    [{ kind: 'reset' }, 'model_unavailable', false],
  ] as const)('that fails with %o gives %s', async (fail, code, final) => {
    await expect(ask([{ fail }], 1)).rejects.toMatchObject({ kind: fail.kind, code, final })
  })

  it.each([[[]], [[{ stop: 'end' }]], [[{ content: [] }]], [[{ stop: 'end', content: [{ call: {} }] }]], [[{ fail: {} }]], ['end']])(
    'that is none is refused at the door: %o',
    rounds => {
      expect(() => scripted(rounds as never)).toThrow(expect.objectContaining({ code: 'option_invalid' }))
    },
  )
})

describe('a runtime with nothing but a scripted model', () => {
  it('runs a turn in memory', async () => {
    const runtime = await createRuntime({ model: scripted([says('Hello.')]) })
    const turn = await runtime.spawn({ input: 'Say hello.', principal: null })
    expect(await turn.result()).toMatchObject({ state: 'completed', output: { text: 'Hello.' } })
    await runtime.close()
  })

  it('starts over at the first entry when the turn is retried', async () => {
    const runtime = await createRuntime({ model: scripted([{ fail: { kind: 'http', status: 400 } }, says('Hello.')]) })
    const as = { issuer: 'https://id.example.com', id: 'owner', kind: 'person' } as const
    const turn = await runtime.spawn({ input: 'Say hello.', principal: as })
    expect(await turn.result()).toMatchObject({ state: 'failed', code: 'model_request_rejected' })
    const again = await runtime.retry(turn.id, { as })
    expect(await again.result()).toMatchObject({ state: 'failed', code: 'model_request_rejected', attempt: 2 })
    await runtime.close()
  })

  it('offers what the model is able to do', () => {
    expect(scripted([says('x')]).capabilities).toEqual({ toolCalls: 'native', enforcedOutput: true })
    expect(scripted([says('x')], { capabilities: { toolCalls: 'none' }, output: 'prompted' }).capabilities).toEqual({
      toolCalls: 'none',
      enforcedOutput: false,
    })
  })
})
