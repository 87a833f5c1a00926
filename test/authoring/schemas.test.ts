// Goal: a tool's schema may be of any library that speaks Standard Schema; what the model is shown, what is checked and what `run` is
// typed with are one and the same.

import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { tool, type ArgumentsOf, type SchemaInput } from '../../adapters/tool.ts'
import { wrong } from '../door/given.ts'
import { callOnce, refusal } from './turn.ts'

const ABOUT = { name: 'book', description: 'Books a seat.', replayPolicy: 'read-only' } as const

const zodInput = z.object({ seat: z.string(), count: z.number().int().optional() })
const arkInput = type({ seat: 'string', 'count?': 'number.integer' })
const valibotInput = v.object({ seat: v.string(), count: v.optional(v.pipe(v.number(), v.integer())) })
const jsonForm = {
  type: 'object',
  properties: { seat: { type: 'string' }, count: { type: 'integer' } },
  required: ['seat'],
} as const

/** A schema of a library that has no JSON form by itself, beside one that was made of it. */
function withJsonForm<S extends StandardSchemaV1>(schema: S, json: Record<string, unknown>): S & StandardJSONSchemaV1 {
  return wrong({ ...schema, '~standard': { ...schema['~standard'], jsonSchema: { input: () => json, output: () => json } } })
}

const TOOLS = {
  'zod': tool({ ...ABOUT, input: zodInput, run: ({ seat, count = 1 }) => `${seat.toUpperCase()} for ${count.toFixed(0)}` }),
  'arktype': tool({ ...ABOUT, input: arkInput, run: ({ seat, count = 1 }) => `${seat.toUpperCase()} for ${count.toFixed(0)}` }),
  'valibot': tool({
    ...ABOUT,
    input: withJsonForm(valibotInput, jsonForm),
    run: ({ seat, count = 1 }) => `${seat.toUpperCase()} for ${count.toFixed(0)}`,
  }),
  'JSON Schema': tool({ ...ABOUT, input: jsonForm, run: ({ seat, count = 1 }) => `${seat.toUpperCase()} for ${count.toFixed(0)}` }),
}

describe.each(Object.entries(TOOLS))('%s', (_, made) => {
  it('is shown to the model as JSON Schema', () => {
    expect(made.descriptor.inputSchema).toMatchObject({
      type: 'object',
      properties: { seat: { type: 'string' }, count: { type: 'integer' } },
      required: ['seat'],
    })
  })

  it('is what arguments are held against, before anything runs', async () => {
    expect(await callOnce(made, { seat: 'a1', count: 2 })).toMatchObject({ result: { content: [{ text: 'A1 for 2' }] } })
    expect(await callOnce(made, { seat: 'a1' })).toMatchObject({ result: { content: [{ text: 'A1 for 1' }] } })
    expect(await callOnce(made, { seat: 1 })).toMatchObject({ events: ['call.invalid'], result: null })
    expect(await callOnce(made, { count: 2 })).toMatchObject({ events: ['call.invalid'], result: null })
    expect(await callOnce(made, { seat: 'a1', count: 1.5 })).toMatchObject({ events: ['call.invalid'], result: null })
  })
})

describe('the type of the arguments', () => {
  it('is that of the schema', () => {
    expectTypeOf<ArgumentsOf<typeof zodInput>>().toEqualTypeOf<{ seat: string; count?: number | undefined }>()
    expectTypeOf<ArgumentsOf<typeof arkInput>>().toEqualTypeOf<{ seat: string; count?: number }>()
    expectTypeOf<ArgumentsOf<typeof valibotInput>>().toEqualTypeOf<{ seat: string; count?: number | undefined }>()
    expectTypeOf<ArgumentsOf<typeof jsonForm>['seat']>().toEqualTypeOf<string>()
    expectTypeOf<ArgumentsOf<typeof jsonForm>['count']>().toEqualTypeOf<number | undefined>()
  })

  it('is of what the model sends, not of what a transform makes of it', async () => {
    const input = z.object({ day: z.string().transform(day => new Date(day)), size: z.number().default(3) })
    const made = tool({
      ...ABOUT,
      input,
      run: args => {
        expectTypeOf(args).toEqualTypeOf<{ day: string; size?: number | undefined }>()
        return args
      },
    })
    expect((await callOnce(made, { day: '2026-01-01' })).result).toMatchObject({ structuredContent: { day: '2026-01-01', size: 3 } })
  })

  it('does not name what the schema does not', () => {
    tool({
      ...ABOUT,
      input: zodInput,
      // @ts-expect-error -- no such argument
      run: ({ row }) => row,
    })
    // @ts-expect-error -- the rule by arguments sees the same arguments
    tool({ ...ABOUT, input: arkInput, approval: ({ row }) => (row === 1 ? 'always' : 'never'), run: () => 1 })
  })
})

describe('a schema that cannot be shown', () => {
  it('is refused with what is to be done', () => {
    const { code, message } = refusal(() => tool({ ...ABOUT, input: wrong<SchemaInput>(valibotInput), run: () => 1 }))
    expect(code).toBe('option_invalid')
    expect(message).toContain('toStandardJsonSchema(schema), from @valibot/to-json-schema')
  })

  it('is refused where its library is not known', () => {
    const input = { '~standard': { version: 1, vendor: 'nobody', validate: () => ({ value: 1 }) } }
    expect(refusal(() => tool({ ...ABOUT, input: wrong<SchemaInput>(input), run: () => 1 })).message).toContain(
      'write itself as JSON Schema, or a JSON Schema',
    )
  })

  it('is refused where a part of it has no JSON form', () => {
    expect(refusal(() => tool({ ...ABOUT, input: z.object({ day: z.date() }), run: () => 1 })).code).toBe('option_invalid')
  })
})

describe('an approval rule that is a function', () => {
  it('may take its time', async () => {
    const made = (seat: string) =>
      tool({ ...ABOUT, input: zodInput, approval: args => Promise.resolve(args.seat === seat ? 'always' : 'never'), run: () => 'booked' })
    expect((await callOnce(made('a1'), { seat: 'a1' })).events).toContain('call.held')
    expect((await callOnce(made('b2'), { seat: 'a1' })).events).not.toContain('call.held')
  })

  it('asks a person where it fails', async () => {
    const made = tool({ ...ABOUT, input: zodInput, approval: () => Promise.reject(new Error('no')), run: () => 'booked' })
    expect((await callOnce(made, { seat: 'a1' })).events).toContain('call.held')
  })
})
