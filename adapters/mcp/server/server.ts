// A host's tools as an MCP server, with the contract around each call: admitted, recorded, held where a person must agree, run at most
// once, recovered and replayed like any other turn.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable, Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Transport } from '@modelcontextprotocol/server'
import type { NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import { createRuntime, type HostOptions } from '../../host.ts'
import { harmless, silentLog } from '../../log.ts'
import { createRedactor } from '../../redact.ts'
import type { ToolSource } from '../../../machines/ports/source.ts'
import type { Runtime } from '../../../machines/runtime/api.ts'
import { buildCatalog } from '../../../machines/runtime/catalog.ts'
import { readFunction, readKnown, readLimits, readList, readText, refuse } from '../../../machines/runtime/door.ts'
import { liveCatalog } from '../../../machines/runtime/live-catalog.ts'
import type { Tool } from '../../../machines/tool.ts'
import type { Authenticate } from './caller.ts'
import { createDesk } from './caller-model.ts'
import { createConnections } from './connections.ts'
import type { House, McpServerInfo } from './house.ts'
import { httpFace, type HttpFace } from './http.ts'
import { createStateSeal } from './request-state.ts'

/** What a host configures beneath: a runtime whose model is the caller. Its name is `mcp` where none is given. */
export type McpHostOptions = Omit<HostOptions, 'model' | 'system' | 'providerTools' | 'drive'>

export type McpServerOptions = McpServerInfo & {
  /** Says who sends a request. What a client says of itself is never asked. */
  readonly authenticate: Authenticate
  /** Names of the tools that are offered; default all. */
  readonly offer?: readonly string[]
  /** How the tools are to be used, for the models of clients. */
  readonly instructions?: string
  /** Host names of web pages that may send; default those of this machine. */
  readonly origins?: readonly string[]
  /** Host names under which the server may be addressed; default any. Name them where the server listens on this machine. */
  readonly hosts?: readonly string[]
}

export type McpServerHandle = {
  /** Streamable HTTP as a fetch handler. */
  readonly fetch: HttpFace['fetch']
  /** The same for `node:http`, Express and Fastify; needs `@modelcontextprotocol/node`. */
  readonly node: (request: IncomingMessage, response: ServerResponse, parsedBody?: unknown) => Promise<void>
  /** Serves the client at the other end of this process's stdin and stdout; resolves when it has gone. */
  readonly stdio: (streams?: { readonly input: Readable; readonly output: Writable }) => Promise<void>
  /** Serves one connection over any transport of the SDK; resolves when it has ended. */
  readonly connect: (transport: Transport) => Promise<void>
  /** Offers these tools from now on, and tells the clients. Calls that are under way go on. */
  readonly offer: (names: readonly string[]) => void
  /** The runtime beneath: its inbox, its turns, its replays. */
  readonly runtime: Runtime
  /** Takes nothing new, waits for the calls under way, and lets go: what is not done then is recovered by the next owner. */
  readonly close: (options?: { readonly graceMs?: number }) => Promise<void>
}

const CLOSE_GRACE_MS = 30_000

/**
 * Opens the store and makes the server; it listens nowhere by itself.
 *
 * Each `tools/call` opens a turn for whom `authenticate` names, untrusted unless it says otherwise. A hold or an ask goes back as
 * `input_required` with a question to the person at the client (E5); for clients of earlier revisions it is an elicitation. Give the
 * host a `key`, so that an answer is understood also by another process.
 *
 * @throws ToolturnError as `createRuntime`
 */
export async function mcpServer(host: McpHostOptions, options: McpServerOptions): Promise<McpServerHandle> {
  const { catalog, offer, parts, http: lines } = readOptions(host, options)
  const desk = createDesk()
  const runtime = await createRuntime({ name: 'mcp', ...host, model: desk.model })
  const calls = new Set<Promise<unknown>>()
  let wanted = offer
  let closed: Promise<void> | null = null
  const house: House = {
    ...parts,
    runtime,
    desk,
    tools: catalog.tools,
    offered: () => [...catalog.tools.keys()].filter(name => wanted?.has(name) ?? true),
    closing: () => closed !== null,
    underWay: work => {
      calls.add(work)
      return work.finally(() => calls.delete(work))
    },
  }
  const http = httpFace(house, lines)
  const connections = createConnections(house, lines.authenticate)
  const listChanged = () => {
    http.listChanged()
    connections.listChanged()
  }
  const endings = catalog.sources.map(source => source.changed(listChanged))

  const close = async (graceMs: number) => {
    await settledWithin(graceMs, calls)
    for (const end of endings) end()
    await catalog.close()
    await connections.close()
    await http.close()
    await runtime.close({ graceMs })
  }

  return {
    fetch: http.fetch,
    node: async (request, response, body) => {
      const { toNodeHandler } = await import('@modelcontextprotocol/node')
      await toNodeHandler(http)(request as NodeIncomingMessageLike, response, body)
    },
    stdio: ({ input, output } = { input: process.stdin, output: process.stdout }) => connections.serveLines(input, output),
    connect: connections.serve,
    offer: names => {
      wanted = readOffer(names)
      listChanged()
    },
    runtime,
    close: ({ graceMs = CLOSE_GRACE_MS } = {}) => {
      closed ??= close(graceMs)
      return closed
    },
  }
}

/** What the server itself says to the runtime beneath, and a host does not. */
const OWN = ['model', 'system', 'providerTools', 'drive']
const NAMES = ['name', 'version', 'title', 'authenticate', 'offer', 'instructions', 'origins', 'hosts']
const INSTRUCTIONS_CHARACTERS = 100_000

function readOptions(host: McpHostOptions, options: McpServerOptions) {
  const { tools = [], key, redact, limits, log = silentLog } = readKnown('host', host)
  for (const own of OWN) if (own in host) refuse(`host.${own}`, 'none: the model of its turns is whoever calls')
  const { name, version, title, authenticate, offer, instructions, origins, hosts } = readKnown('options', options, NAMES)
  const info = { name: readText('name', name), version: readText('version', version) }
  refuseMasking(redact)
  // The caller's round, and the one in which its result is read.
  if (readLimits(limits).rounds < 2) refuse('limits.rounds', 'at least 2')
  return {
    catalog: watchedCatalog(tools),
    offer: offer === undefined ? null : readOffer(offer),
    parts: {
      seal: createStateSeal(key),
      info: title === undefined ? info : { ...info, title: readText('title', title) },
      instructions: instructions === undefined ? undefined : readText('instructions', instructions, INSTRUCTIONS_CHARACTERS),
      log: harmless(log),
    },
    http: {
      authenticate: readFunction('authenticate', authenticate),
      origins: origins === undefined ? undefined : readNames('origins', origins),
      hosts: hosts === undefined ? undefined : readNames('hosts', hosts),
    },
  }
}

/** The catalog as the runtime beneath has it, to list from; the sources are the runtime's to close. */
function watchedCatalog(given: NonNullable<McpHostOptions['tools']>) {
  const isSource = (entry: Tool | ToolSource): entry is ToolSource => 'list' in entry
  const sources = given.filter(isSource)
  const own = given.filter((entry): entry is Tool => !isSource(entry))
  const kept = sources.map(source => ({ ...source, close: async () => {} }))
  return { ...liveCatalog(buildCatalog(own, silentLog), kept, silentLog), sources }
}

function readNames(option: string, names: readonly string[]): readonly string[] {
  return readList(option, names).map((name, index) => readText(`${option}[${index}]`, name))
}

/** A tool of a source may come later than its name. */
function readOffer(names: readonly string[]): ReadonlySet<string> {
  return new Set(readNames('offer', names))
}

/** A call is found by a name in the text of its turn's input. Where that would be masked, no call would be found. */
function refuseMasking(redact: HostOptions['redact']): void {
  const sample = `A call over MCP: ${Buffer.alloc(32, 0x5a).toString('base64url')}`
  if (createRedactor(redact).text(sample).changed) refuse('redact.detectors', 'patterns that leave names of 43 letters and digits alone')
}

/** Resolves when all of it is settled, at the latest after so long. */
async function settledWithin(graceMs: number, calls: ReadonlySet<Promise<unknown>>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, graceMs)
  await Promise.race([late, Promise.allSettled(calls)])
  clearTimeout(timer)
  // A call that is settled has its answer still to be written.
  await setImmediate()
}
