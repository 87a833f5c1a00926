// A schema is compiled once, and what is remembered is bounded.

import { describe, expect, it } from 'vitest'
import { compiledSchema } from '../../machines/schemas/cache.ts'
import type { Schema } from '../../machines/schemas/places.ts'

describe('the remembered schemas', () => {
  it('are the same for the same JSON, whatever the order of its keys', () => {
    expect(compiledSchema({ type: 'string', maxLength: 9 })).toBe(compiledSchema({ maxLength: 9, type: 'string' }))
  })

  it('are let go when others were used since, and refused ones are no burden', () => {
    const first = compiledSchema({ const: 'first' })
    for (let index = 0; index < 300; index += 1) compiledSchema({ const: index })
    expect(compiledSchema({ const: 'first' })).not.toBe(first)
    const endless: { self?: Schema } = {}
    endless.self = endless as Schema
    expect(compiledSchema(endless as Schema).ok).toBe(false)
  })
})
