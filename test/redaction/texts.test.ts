// What is kept of a round's text holds no secret, however the model cut it into items, and its end is that of the items.

import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../adapters/redact.ts'
import { redactBounded } from '../../machines/redaction.ts'
import { redactTexts } from '../../machines/round-text.ts'
import { thrownText } from '../../machines/results/thrown.ts'

const SECRET = 'hunter2-secret-value-XYZ'
const redactor = createRedactor({ values: [SECRET] })
const items = (...texts: readonly string[]) => texts.map(text => ({ kind: 'text', text }) as const)

describe('texts of a round', () => {
  it('are redacted as one text where a secret stands across them', () => {
    for (let at = 1; at < SECRET.length; at += 1) {
      const kept = redactTexts(redactor, items(`So: ${SECRET.slice(0, at)}`, `${SECRET.slice(at)}.`, ' Done.'), '')
      expect(kept).toEqual(['So: [redacted]. Done.', null, null])
    }
  })

  it('stay items of their own otherwise', () => {
    expect(redactTexts(redactor, items('One ', `${SECRET} `, 'three'), '')).toEqual(['One ', '[redacted] ', 'three'])
  })

  it('of a paused round are gone on from without the rest of its secret', () => {
    const before = `So: ${SECRET.slice(0, 9)}`
    const kept = redactTexts(redactor, items(`${SECRET.slice(9)} it is.`), before)
    expect(kept).toEqual(['[redacted] it is.'])
    expect(redactTexts(redactor, items(' and on'), 'So it')).toEqual([' and on'])
  })

  it('keep fields of JSON masked beside other texts', () => {
    expect(redactTexts(redactor, items('{ "password": 12345 }', ` and ${SECRET.slice(0, 5)}`, SECRET.slice(5)), '')).toEqual([
      '{"password":"[redacted]"} and [redacted]',
      null,
      null,
    ])
  })
})

describe('a bound', () => {
  it('is set after the redaction, wherever the secret meets it', () => {
    for (let filled = 0; filled <= 40; filled += 1) {
      expect(redactBounded(redactor, `${'x'.repeat(filled)}${SECRET}`, 40)).not.toContain(SECRET.slice(0, 4))
    }
    for (let filled = 1_950; filled <= 2_010; filled += 1) {
      const thrown = new Error(`${'x'.repeat(filled)}${SECRET}`)
      const inner = new AggregateError([new Error(`${'x'.repeat(filled)}${SECRET}`)], 'several')
      for (const error of [thrown, inner]) expect(thrownText(error, text => redactor.text(text).text)).not.toContain(SECRET.slice(0, 4))
    }
  })
})
