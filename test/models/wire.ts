// A provider on this machine: an HTTP server that answers with given bytes, breaks off where it is told to, and keeps what it was asked.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { existsSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { describe, it } from 'vitest'

/** What one request is answered with. */
export type Answer = {
  /** Default 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The whole body, or the pieces that it is sent in, each once the one before has left. */
  readonly body: string | Uint8Array | readonly (string | Uint8Array)[]
  /** The answer ends early, after so many pieces. */
  readonly broken?: {
    /** `nothing`: not even the head is sent. */
    readonly after: number | 'nothing'
    /** The connection is reset; the answer ends as if it were whole; or nothing more is said until the client leaves. */
    readonly by: 'reset' | 'end' | 'silence'
  }
}

export type Asked = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** Resolves when the client goes before its answer is whole, and only then. */
  readonly left: Promise<void>
}

export type Wire = AsyncDisposable & {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** All requests so far, in the order in which they came. */
  readonly asked: readonly Asked[]
  /** Puts answers at the end of the queue; each request takes the first one. A request that finds none is answered with 418. */
  readonly answer: (...answers: readonly Answer[]) => void
  /** The n-th request, from 0, as soon as it is there. */
  readonly arrival: (nth: number) => Promise<Asked>
}

/** @example `await using wire = await openWire()` */
export async function openWire(): Promise<Wire> {
  const queue: Answer[] = []
  const asked: Asked[] = []
  const waiting: { readonly nth: number; readonly resolve: (asked: Asked) => void }[] = []
  const server = createServer((request, response) => void take(request, response))

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const left = leaving(response)
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const { method = '', url = '', headers } = request
    const entry = { method, path: url, headers, body: Buffer.concat(pieces).toString('utf8'), left }
    const nth = asked.push(entry) - 1
    for (const each of waiting) if (each.nth === nth) each.resolve(entry)
    await say(response, queue.shift() ?? { status: 418, body: 'no answer is left' })
  }

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    answer: (...answers) => void queue.push(...answers),
    arrival: nth => {
      const there = asked[nth]
      return there === undefined ? new Promise(resolve => waiting.push({ nth, resolve })) : Promise.resolve(there)
    },
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** A connection that closes while the answer is not written out was closed by the client, or by an answer that breaks off. */
function leaving(response: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    response.on('close', () => {
      if (!response.writableFinished && !broken.has(response)) resolve()
    })
  })
}

const broken = new WeakSet<ServerResponse>()

async function say(response: ServerResponse, answer: Answer): Promise<void> {
  const { status = 200, headers = {}, body, broken: end } = answer
  const pieces = typeof body === 'string' || body instanceof Uint8Array ? [body] : body
  if (end?.after !== 'nothing') {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.flushHeaders()
    for (const piece of pieces.slice(0, end?.after)) {
      if (response.destroyed) return
      await new Promise<void>(resolve => response.write(piece, () => resolve()))
      await setImmediate()
    }
  }
  if (end?.by === 'silence') return
  if (end?.by !== 'reset') return void response.end()
  broken.add(response)
  response.socket?.resetAndDestroy()
}

/** A stream of server-sent events, one piece for each: its name, where the provider names them, and its data. */
export function eventStream(events: readonly { readonly name?: string; readonly data: string }[]): Answer {
  const body = events.map(({ name, data }) => `${name === undefined ? '' : `event: ${name}\n`}data: ${data}\n\n`)
  return { headers: { 'content-type': 'text/event-stream; charset=utf-8' }, body }
}

const RECORDED = new URL('../../../shared/data/wire/', import.meta.url)

/** A suite on recorded responses of real providers. They are not part of the project: where they are not beside it, that is said loudly. */
export function describeRecorded(name: string, body: () => void): void {
  if (existsSync(RECORDED)) {
    describe(name, body)
    return
  }
  console.warn(`\n!!!! NOT TESTED: ${name}: ../shared/data/wire is not beside the checkout !!!!\n`)
  describe(name, () => it.skip('NOT TESTED: no ../shared/data/wire'))
}

/** A whole response, as it was recorded. */
export function recordedBody(name: string): string {
  return readFileSync(new URL(name, RECORDED), 'utf8')
}

/** The data of each event of a recorded stream, in order. */
export function recordedChunks(name: string): readonly string[] {
  return recordedBody(name)
    .split('\n')
    .filter(line => line.trim() !== '')
}
