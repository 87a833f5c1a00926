// A runtime whose tools come from MCP servers, and a model that calls them as it is told.

import { createRuntime, scripted, type Event, type HostOptions, type Runtime, type SpawnOptions, type TurnResult } from '../../index.ts'

export const ANA = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' } as const
export const AS = { as: ANA, via: 'app' } as const

export const asks = (...calls: readonly (readonly [name: string, args?: object])[]) => ({
  stop: 'tool_calls',
  content: calls.map(([name, args = {}], index) => ({
    call: { id: `c${index}`, name, arguments: args as { readonly [name: string]: string } },
  })),
})
export const ends = { stop: 'end', content: [{ text: 'Done.' }] } as const

export type Played = { readonly runtime: Runtime; readonly turnId: string; readonly result: TurnResult; readonly events: readonly Event[] }

/** Opens a turn whose model says these rounds, and waits until it ends or a person is awaited. */
export async function play(
  tools: NonNullable<HostOptions['tools']>,
  rounds: Parameters<typeof scripted>[0],
  options: Partial<HostOptions> & { readonly spawn?: Partial<SpawnOptions> } = {},
): Promise<Played> {
  const { spawn, ...host } = options
  const runtime = await createRuntime({ model: scripted([...rounds, ends]), ...host, tools })
  const turn = await runtime.spawn({ input: 'Go.', principal: ANA, ...spawn })
  const result = await turn.result()
  return { runtime, turnId: turn.id, result, events: await eventsOf(runtime, turn.id, result.version) }
}

/** The events of a turn up to a version. */
export async function eventsOf(runtime: Runtime, turnId: string, version: number): Promise<readonly Event[]> {
  const events: Event[] = []
  for await (const event of runtime.events(turnId)) {
    events.push(event)
    if (event.version >= version) break
  }
  return events
}

/** What was recorded of the calls of a turn, by ordinal. */
export function recordedOf(events: readonly Event[]) {
  return events.flatMap(event => (event.type === 'call.recorded' ? [event.data] : []))
}

/** The words of the first recorded result. */
export function firstWords(events: readonly Event[]): string {
  const [recorded] = recordedOf(events)
  return (recorded?.result.content ?? []).map(block => (typeof block['text'] === 'string' ? block['text'] : `[${block.type}]`)).join('\n')
}
