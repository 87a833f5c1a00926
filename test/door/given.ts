// What is right in every test of the door, so that each row is wrong in one thing alone.

import { createRuntime, scripted, tool, type Runtime } from '../../index.ts'

export const ANA = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' } as const

export const TOOL = {
  name: 'write',
  description: 'Write.',
  input: { type: 'object' },
  replayPolicy: 'at-most-once',
  run: () => 'ok',
} as const

/** Says one thing. */
export const MODEL = scripted([{ stop: 'end', content: [{ text: 'Done.' }] }])

/** A schema that holds itself. */
export function circle(): Record<string, unknown> {
  const schema: Record<string, unknown> = { type: 'object' }
  schema['not'] = schema
  return schema
}

/** Something wrong, as plain JavaScript may hand it in. */
export function wrong<T>(given: unknown): T {
  return given as T
}

/** A turn that waits for a person, and the id of what it waits for. */
export async function heldTurn(): Promise<{ readonly runtime: Runtime; readonly turnId: string; readonly approvalId: string }> {
  const call = { stop: 'tool_calls', content: [{ call: { id: 'c', name: 'write', arguments: {} } }] }
  const model = scripted([call, { stop: 'end', content: [{ text: 'Done.' }] }])
  const runtime = await createRuntime({ model, tools: [tool({ ...TOOL, approval: 'always' })] })
  const turn = await runtime.spawn({ input: 'Write.', principal: ANA })
  const { calls } = await turn.result()
  return { runtime, turnId: turn.id, approvalId: calls[0]?.approvalId ?? '' }
}
