// One turn that calls one tool, and what came of the call.

import { createRuntime } from '../../adapters/host.ts'
import { scripted } from '../../adapters/models/scripted.ts'
import type { ErrorCode } from '../../machines/errors.ts'
import type { Event } from '../../machines/events.ts'
import type { Json } from '../../machines/json.ts'
import type { Tool, ToolResult } from '../../machines/tool.ts'

const ANA = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' } as const

export type Called = {
  /** Types of the call's events, in order. */
  readonly events: readonly string[]
  /** What the model reads of the call. */
  readonly result: ToolResult | null
  /** What stopped the call. */
  readonly text: string | null
}

/** @param approve whether Ana agrees where she is asked; else the turn is left at the hold */
export async function callOnce(tool: Tool, args: Json, approve = true): Promise<Called> {
  const runtime = await createRuntime({
    tools: [tool],
    model: scripted([
      { stop: 'tool_calls', content: [{ call: { id: 'c1', name: tool.descriptor.name, arguments: args } }] },
      { stop: 'end', content: [{ text: 'done' }] },
    ]),
  })
  try {
    const turn = await runtime.spawn({ input: 'Go.', principal: ANA })
    const events: Event[] = []
    for await (const event of turn.events()) {
      events.push(event)
      if (event.type !== 'call.held') continue
      if (!approve) break
      await runtime.approve(event.data.approvalId, { as: ANA, via: 'app' })
    }
    return readCall(events)
  } finally {
    await runtime.close()
  }
}

function readCall(events: readonly Event[]): Called {
  const recorded = events.find(event => event.type === 'call.recorded')
  const stopped = events.find(event => event.type === 'call.invalid' || event.type === 'call.refused')
  return {
    events: events.map(event => event.type).filter(type => type.startsWith('call.')),
    result: recorded?.data.result ?? null,
    text: stopped?.data.text ?? null,
  }
}

/** What the door says no with. */
export function refusal(make: () => unknown): { readonly code: ErrorCode; readonly message: string } {
  try {
    make()
  } catch (thrown) {
    const { code, message } = thrown as { code: ErrorCode; message: string }
    return { code, message }
  }
  throw new Error('nothing was refused')
}
