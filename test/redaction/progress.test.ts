// Deltas hold no secret, wherever it was split, and together they are the redacted text.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../adapters/redact.ts'
import { redactedDeltas } from '../../machines/actor/progress.ts'

const SECRET = 'hunter2-secret-value-XYZ'
const PHRASE = 'correct horse battery staple'
const redactor = createRedactor({ values: [SECRET, PHRASE] })

/** What is told of these deltas, and how much of it before the end. */
function told(deltas: readonly string[], masked = redactor, before = ''): { readonly all: string; readonly live: string } {
  const texts: string[] = []
  const { onDelta, end } = redactedDeltas(masked, before, ({ text }) => texts.push(text))
  for (const text of deltas) onDelta({ kind: 'text', text })
  const live = texts.join('')
  end()
  return { all: texts.join(''), live }
}

const halves = (text: string): string[][] => Array.from(text).map((_, at) => [text.slice(0, at), text.slice(at)])
const letters = (text: string): string[] => Array.from(text)

describe('deltas', () => {
  it.each([SECRET, PHRASE])('mask a secret that is split at any place: %s', secret => {
    const text = `Here it is: ${secret} and here again: ${secret}. ${'More words. '.repeat(20)}`
    const masked = text.replaceAll(secret, '[redacted]')
    for (const deltas of [...halves(text), letters(text)]) expect(told(deltas).all).toBe(masked)
  })

  it('tell no beginning of a secret, however they end', () => {
    for (const secret of [SECRET, PHRASE]) {
      const text = `Here it is: ${secret}`
      for (let end = 1; end < text.length; end += 1) expect(told(letters(text.slice(0, end))).live).not.toContain(secret.slice(0, 4))
    }
  })

  it('are told while the model speaks', () => {
    const text = 'Some words that nobody minds. '.repeat(20)
    expect(told(letters(text)).live.length).toBeGreaterThan(text.length / 2)
  })

  it('take time linear in the text, also without a gap between its words', () => {
    const looks: number[] = []
    const counted = { ...redactor, text: (text: string) => (looks.push(text.length), redactor.text(text)) }
    const text = `${'x'.repeat(30_000)} ${'some words '.repeat(3_000)}`
    expect(told(letters(text), counted).all).toBe(text)
    expect(looks.reduce((sum, length) => sum + length, 0)).toBeLessThan(50 * text.length)
  })

  it('mask what shows by its form, also where its field is known only behind it', () => {
    const token = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'
    for (const text of [`the token is ${token} there`, `{"apiKey": "first ${token}", "password": "two words"}`]) {
      for (const deltas of [...halves(text), letters(text)]) expect(told(deltas).all).toBe(redactor.text(text).text)
    }
  })

  it('hold back for the patterns of the host', () => {
    const cards = createRedactor({ detectors: ['\\d{4} \\d{4} \\d{4} \\d{4}'] })
    const text = `Card 4111 1111 1111 1111 is used. ${'More words. '.repeat(40)}`
    expect(told(letters(text), cards).all).toBe(cards.text(text).text)
    expect(told(letters('Card 4111 1111 111'), cards).live).toBe('')
  })

  it('are the redacted text, or a beginning of it, for any cuts', () => {
    const piece = fc.oneof(fc.constantFrom(SECRET, PHRASE, ' ', '\n', 'password: ', '"', '{', 'Bearer '), fc.string({ maxLength: 12 }))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 1, max: 9 }), (pieces, size) => {
        const text = pieces.join('')
        const deltas = text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []
        const { all } = told(deltas)
        for (const secret of [SECRET, PHRASE]) expect(all).not.toContain(secret)
        if (!all.includes('[redacted]')) expect(redactor.text(text).text.startsWith(all)).toBe(true)
      }),
    )
  })

  it('go on from a paused round without the rest of its secret', () => {
    for (let at = 4; at < SECRET.length; at += 1) {
      const before = `So: ${SECRET.slice(0, at)}`
      expect(told(letters(`${SECRET.slice(at)} it is. `), redactor, before).all).toBe('')
    }
    expect(told(['on ', 'it goes.'], redactor, 'So ').all).toBe('on it goes.')
  })

  it('of a call are told without its text, and those behind the end not at all', () => {
    const deltas: unknown[] = []
    const { onDelta, end } = redactedDeltas(redactor, '', delta => deltas.push(delta))
    onDelta({ kind: 'call', text: `{"pin":"${SECRET.slice(0, 9)}` })
    end()
    onDelta({ kind: 'text', text: 'late ' })
    expect(deltas).toEqual([{ kind: 'call', text: '' }])
  })
})
