// A sealed box opens under the same key for the same call, unchanged, and never otherwise.

import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSealer } from '../../adapters/seal.ts'
import { ToolturnError } from '../../machines/errors.ts'

const random = { bytes: (count: number): Uint8Array => new Uint8Array(randomBytes(count)) }
const key = randomBytes(32)
const sealer = createSealer(key, random)
const plain = new TextEncoder().encode('{"api_key":"secret"}')

describe('a sealed box', () => {
  it('opens to the same bytes, whatever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), fc.string({ unit: 'binary' }), (bytes, context) => {
        expect(sealer.open(sealer.seal(bytes, context), context)).toEqual(new Uint8Array(bytes))
      }),
    )
  })

  it('opens in another process that has the same key, given as text', () => {
    const box = sealer.seal(plain, 'turn.1')
    for (const text of [key.toString('base64'), key.toString('base64url'), ` ${key.toString('base64')}\n`]) {
      expect(createSealer(text, random).open(box, 'turn.1')).toEqual(plain)
    }
  })

  it('does not open under another key or for another call', () => {
    const box = sealer.seal(plain, 'turn.1')
    expect(() => createSealer(randomBytes(32), random).open(box, 'turn.1')).toThrow()
    expect(() => sealer.open(box, 'turn.2')).toThrow()
  })

  it('does not open when any byte of it was changed, or when it was cut', () => {
    const box = sealer.seal(plain, 'turn.1')
    for (let index = 0; index < box.length; index += 1) {
      const changed = new Uint8Array(box)
      changed[index] = (changed[index] as number) ^ 1
      expect(() => sealer.open(changed, 'turn.1')).toThrow()
      expect(() => sealer.open(box.subarray(0, index), 'turn.1')).toThrow()
    }
  })

  it('differs each time, begins with its version and shows nothing of what is in it', () => {
    const boxes = [sealer.seal(plain, 'turn.1'), sealer.seal(plain, 'turn.1')]
    expect(Buffer.compare(boxes[0] as Uint8Array, boxes[1] as Uint8Array)).not.toBe(0)
    expect(boxes[0]?.[0]).toBe(1)
    expect(Buffer.from(boxes[0] as Uint8Array).includes('api_key')).toBe(false)
  })

  it('written by version 1 opens for ever', () => {
    const fixed = createSealer(Buffer.alloc(32, 7), { bytes: count => new Uint8Array(count).fill(9) })
    const box = Buffer.from(fixed.seal(plain, 'turn.1')).toString('base64')
    expect(box).toBe('AQkJCQkJCQkJCQkJCfH5OMjWLUmHhuEUf3czDsJcp+Xk16+qBNlA8RqVj8CtscRBjg==')
    expect(fixed.open(Buffer.from(box, 'base64'), 'turn.1')).toEqual(plain)
  })
})

describe('a key', () => {
  it.each([
    ['31 bytes', randomBytes(31)],
    ['33 bytes', randomBytes(33)],
    ['no bytes', new Uint8Array(0)],
    ['base64 of 31 bytes', randomBytes(31).toString('base64')],
    ['hexadecimal', randomBytes(32).toString('hex')],
    ['text with a stray character', `${randomBytes(32).toString('base64').slice(0, 40)}!${randomBytes(32).toString('base64')}`],
    ['an empty text', ''],
  ])('of %s is refused, and not shown', (_, wrong) => {
    let thrown: unknown
    try {
      createSealer(wrong, random)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(ToolturnError)
    expect(thrown).toMatchObject({ code: 'option_invalid', details: { option: 'key' } })
    if (typeof wrong === 'string' && wrong !== '') expect(JSON.stringify(thrown)).not.toContain(wrong)
  })

  it("is copied, so changing the host's bytes afterwards changes nothing", () => {
    const mine = randomBytes(32)
    const before = createSealer(mine, random)
    const box = before.seal(plain, 'turn.1')
    mine.fill(0)
    expect(before.open(box, 'turn.1')).toEqual(plain)
  })
})
