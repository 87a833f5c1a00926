// What the host says to the model is the host's word alone, bounded, and the same for the same reason.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readArguments } from '../../machines/arguments/read.ts'
import type { Json } from '../../machines/json.ts'
import { closeNames, editDistance } from '../../machines/names.ts'
import * as repair from '../../machines/repair.ts'
import { compileSchema } from '../../machines/schemas/compile.ts'

const CANARY = 'ZQXJ'
const catalog = ['get_weather', 'send_email', 'read', 'delete_rows']

/** One of each text that is made of nothing but a reason. */
const FIXED: readonly string[] = [
  repair.truncatedText(),
  repair.refusedRoundText(),
  repair.quarantinedText(),
  repair.cannotSealText(),
  repair.lostArgumentsText(),
  repair.deniedText(),
  repair.expiredText(),
  repair.refusedAskText(),
  repair.notRunText(),
  ...(['scopes', 'nobody-to-ask', 'policy', 'nobody-may-approve', 'revoked', 'schema-changed'] as const).map(repair.authorizationText),
  ...(['same-round', 'executed', 'denied', 'errors', 'same-result'] as const).map(reason => repair.suppressedText(reason, 7)),
  ...(['calls-per-round', 'calls-per-turn', 'rounds', 'clarifications'] as const).map(repair.endedText),
  ...(['after-ask', 'turn-ended', 'retried'] as const).map(repair.endedText),
  ...(['timeout', 'aborted'] as const).flatMap(end => [repair.stoppedToolText(end, true), repair.stoppedToolText(end, false)]),
  repair.stopAndExplainText(3),
]

describe('every text', () => {
  it('says something, is short, ends as a sentence and differs from all others', () => {
    for (const text of FIXED) {
      expect(text.length).toBeGreaterThan(10)
      expect(text.length).toBeLessThan(300)
      expect(text).toMatch(/^[A-Z].*\.$/)
    }
    expect(new Set(FIXED).size).toBe(FIXED.length)
  })

  it('of a tool with effects that was stopped says that the effect is unknown, and of a reading one that it may be called again', () => {
    expect(repair.stoppedToolText('timeout', false)).toMatch(/effect is unknown/)
    expect(repair.stoppedToolText('aborted', false)).toMatch(/effect is unknown/)
    expect(repair.stoppedToolText('timeout', true)).toMatch(/may be called again/)
  })

  it('of a suppressed call names the call that it repeats', () => {
    for (const reason of ['same-round', 'executed', 'denied', 'errors', 'same-result'] as const) {
      expect(repair.suppressedText(reason, 12)).toContain('call 12')
    }
  })

  it('after failures in a row tells the model to stop and explain', () => {
    expect(repair.stopAndExplainText(2)).toMatch(/Stop .*explain/)
  })
})

describe('texts that are sent again on replay', () => {
  // They are not in the record: another wording is another request, and replays of stored turns would diverge.
  it('are pinned', () => {
    const texts = [repair.deniedText(), repair.expiredText(), repair.notRunText()]
    expect([...texts, repair.askInstruction('ask_user'), repair.outputInstruction({ type: 'object' })]).toEqual([
      'A person denied this call. Do not repeat it; go on without it, or ask what is wanted instead.',
      'Nobody approved this call in time, so it did not run. Do not repeat it; say that it still needs an approval.',
      'This call did not run.',
      'Before you call a tool, check that every required parameter is known or can be inferred from the conversation. ' +
        'If one is not, do not guess: ask with the tool "ask_user", alone, and wait for the answer.',
      'Answer with one JSON value that fits this JSON Schema, and with nothing before or behind it:\n{"type":"object"}',
    ])
  })
})

describe('an unknown name', () => {
  it.each([
    ['get_weather\n', 'get_weather'],
    [' get_weather', 'get_weather'],
    ['get_weather()', 'get_weather'],
    ['functions.get_weather', 'get_weather'],
    ['default_api:get_weather', 'get_weather'],
    ['GET_WEATHER', 'get_weather'],
    ['getWeather', 'get_weather'],
    ['send_emial', 'send_email'],
    ['delete_row', 'delete_rows'],
  ])('%j is told of %s', (written, name) => {
    expect(closeNames(written, catalog)).toEqual([name])
    expect(repair.unknownNameText(written, catalog)).toContain(JSON.stringify(name))
  })

  it('that is like none is told of all, if they are few, and of none, if they are many', () => {
    expect(closeNames('launch_rocket', catalog)).toEqual([])
    for (const name of catalog) expect(repair.unknownNameText('launch_rocket', catalog)).toContain(name)
    const many = Array.from({ length: 200 }, (_, index) => `tool_with_number_${index}`)
    expect(repair.unknownNameText('launch_rocket', many)).not.toContain('tool_with')
    expect(repair.unknownNameText('x', [])).toMatch(/No tools/)
  })

  it('never comes back, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (before, after) => {
        expect(repair.unknownNameText(`${before}${CANARY}${after}`, catalog)).not.toContain(CANARY)
      }),
    )
  })

  it('and a catalog of long names make a bounded text', () => {
    const long = Array.from({ length: 20 }, (_, index) => `${'n'.repeat(250)}${index}`)
    expect(repair.unknownNameText('n'.repeat(1_000_000), long).length).toBeLessThanOrEqual(2_000)
    expect(repair.unknownNameText('other', long).length).toBeLessThanOrEqual(2_000)
  })

  it('is compared by edits, as a plain count of them says', () => {
    expect(editDistance('kitten', 'sitting')).toBe(3)
    fc.assert(
      fc.property(fc.string({ maxLength: 8 }), fc.string({ maxLength: 8 }), (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a))
        expect(editDistance(a, a)).toBe(0)
        expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length))
      }),
    )
  })
})

describe('arguments and output that do not fit', () => {
  const schema = compileSchema({
    type: 'object',
    properties: { owner: { type: 'string', maxLength: 3 }, ids: { type: 'array', items: { type: 'integer' } } },
    required: ['owner'],
    additionalProperties: { type: 'boolean' },
  })

  it('are told path and expectation', () => {
    const judged = schema.ok ? schema.validate({ ids: [1, 'x'] }) : null
    if (judged === null || judged.ok) throw new Error('should not fit')
    expect(repair.schemaProblemText(judged.problems)).toBe(
      'The arguments do not fit the schema of the tool, so the call did not run. Mend these and call again:\n' +
        '- the value itself: expected the property "owner"\n- /ids/1: expected a whole number',
    )
    expect(repair.outputProblemText(judged.problems)).toContain('- /ids/1: expected a whole number')
  })

  it('do not come back: not a key of them, not a value, not a piece of broken text', () => {
    const word = fc.tuple(fc.string(), fc.string()).map(([before, after]) => `${before}${CANARY}${after}`)
    const inner = fc.oneof(word, fc.array(word, { maxLength: 3 }), fc.dictionary(word, word))
    const value = fc.dictionary(fc.oneof(word, fc.constantFrom('owner', 'ids')), inner)
    fc.assert(
      fc.property(value, fc.nat(), fc.constantFrom('', '}', '"', ',', '\\'), (arguments_, cut, stray) => {
        const text = JSON.stringify(arguments_)
        const broken = readArguments(`${text.slice(0, cut % (text.length + 1))}${stray}${text.slice(cut % (text.length + 1))}`)
        if (!broken.ok) expect(repair.unreadableArgumentsText(broken.problem.text)).not.toContain(CANARY)
        if (!broken.ok) expect(repair.outputNotJsonText(broken.problem.text)).not.toContain(CANARY)
        const judged = schema.ok ? schema.validate(JSON.parse(text) as Json) : null
        if (judged !== null && !judged.ok) expect(repair.schemaProblemText(judged.problems)).not.toContain(CANARY)
      }),
    )
  })

  it('are told of in a bounded text, cut at a whole character', () => {
    const problems = Array.from({ length: 50 }, () => ({ path: '/x', keyword: 'type', expected: '😀'.repeat(400) }))
    const text = repair.schemaProblemText(problems)
    expect(text.length).toBeLessThanOrEqual(2_000)
    expect(text.isWellFormed()).toBe(true)
    expect(repair.schemaProblemText([])).toContain('expected an object')
  })
})
