// The project's own recordings of both APIs: each a response in one piece, and the stream of the same response.

import { readFileSync } from 'node:fs'
import type { JsonObject } from '../../../machines/json.ts'
import { eventStream, type Answer } from '../wire.ts'

const FOLDER = new URL('../recordings/', import.meta.url)

function read(name: string): string {
  return readFileSync(new URL(name, FOLDER), 'utf8')
}

export function authoredBody(name: string): JsonObject {
  return JSON.parse(read(`${name}.json`)) as JsonObject
}

export function authoredWhole(name: string): Answer {
  return { body: read(`${name}.json`) }
}

/** Events under the names of their types, where they have any; Chat Completions has none, and a mark for its end. */
export function streamOf(data: readonly string[]): Answer {
  const events = data.map(each => {
    const { type } = JSON.parse(each) as { readonly type?: string }
    return { data: each, ...(type === undefined ? {} : { name: type }) }
  })
  return eventStream(events.some(event => 'name' in event) ? events : [...events, { data: '[DONE]' }])
}

export function authoredStream(name: string): Answer {
  return streamOf(read(`${name}.chunks.txt`).trimEnd().split('\n'))
}

/** The first pieces of a stream, which then ends as if it were whole. */
export function cut({ headers = {}, body }: Answer, after: number): Answer {
  return { headers, body: (body as readonly string[]).slice(0, after).join('') }
}
