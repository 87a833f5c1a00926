// What a host says of an MCP server: where it is, whether its words are trusted, and the rules of its tools. Hints of the server decide
// none of it (D3, C1).

import type { AuthProvider, OAuthClientProvider, Transport } from '@modelcontextprotocol/client'
import { ToolturnError } from '../../../machines/errors.ts'
import type { JsonObject } from '../../../machines/json.ts'
import type { Log } from '../../../machines/ports/world.ts'
import { readFunction, readKnown, readList, readText, refuse } from '../../../machines/runtime/door.ts'
import { isSourceName, type ApprovalRule, type ContentTrust, type ReplayPolicy, type TurnView } from '../../../machines/tool.ts'
import { harmless, silentLog } from '../../log.ts'
import { tool } from '../../tool.ts'

/** The host's rules for a tool of the server. */
export type McpToolOptions = {
  /** Default at-most-once, whatever the server hints (D3). */
  readonly replayPolicy?: ReplayPolicy
  /** Default: never for read-only, else when-untrusted. */
  readonly approval?: ApprovalRule | ((args: JsonObject, turn: TurnView) => ApprovalRule | Promise<ApprovalRule>)
  readonly scopes?: readonly string[]
  /** Trust in what it returns. Default: as the server is trusted. */
  readonly contentTrust?: ContentTrust
  /** Milliseconds that one try may take; default 60,000. */
  readonly timeoutMs?: number
  /** Tries on a lost connection or a timeout; default 1. An at-most-once tool is tried once whatever stands here. */
  readonly tries?: number
  readonly recordBytes?: number
}

export type McpOptions = {
  /** What the server is called here: its tools are qualified by it where a name is taken. */
  readonly name: string
  /** Started as a child process and spoken to over its standard input and output. It inherits no more than PATH, HOME and the like. */
  readonly command?: string
  readonly args?: readonly string[]
  readonly env?: { readonly [name: string]: string }
  readonly cwd?: string
  /** What the child writes to its standard error. Default: ignored. */
  readonly stderr?: 'ignore' | 'inherit'
  /** Spoken to over streamable HTTP. */
  readonly url?: string | URL
  readonly headers?: { readonly [name: string]: string }
  readonly authProvider?: AuthProvider | OAuthClientProvider
  /** Makes a new transport for each connection. */
  readonly transport?: () => Transport | Promise<Transport>
  /** True: its descriptions and results are as trusted as the host's own (C1). Default false. */
  readonly trusted?: boolean
  /** Rules by the server's own tool names. */
  readonly tools?: { readonly [tool: string]: McpToolOptions }
  /** Rules of all the other tools, and for what a tool's own rules leave out. */
  readonly defaults?: McpToolOptions
  /** Milliseconds for connecting and listing; default 30,000. */
  readonly connectTimeoutMs?: number
  readonly log?: Log
}

/** The one way to the server. */
export type Way =
  | {
      readonly by: 'stdio'
      readonly command: string
      readonly args: string[]
      readonly env?: Record<string, string>
      readonly cwd?: string
      readonly stderr: 'ignore' | 'inherit'
    }
  | {
      readonly by: 'http'
      readonly url: URL
      readonly headers: Record<string, string>
      readonly authProvider?: AuthProvider | OAuthClientProvider
    }
  | { readonly by: 'transport'; readonly open: () => Transport | Promise<Transport> }

export type McpSettings = {
  readonly name: string
  readonly way: Way
  readonly trusted: boolean
  readonly rules: ReadonlyMap<string, McpToolOptions>
  readonly defaults: McpToolOptions
  readonly connectTimeoutMs: number
  readonly log: Log
}

const WAYS = {
  stdio: ['command', 'args', 'env', 'cwd', 'stderr'],
  http: ['url', 'headers', 'authProvider'],
  transport: ['transport'],
} as const
const COMMON = ['name', 'trusted', 'tools', 'defaults', 'connectTimeoutMs', 'log']
const RULES = ['replayPolicy', 'approval', 'scopes', 'contentTrust', 'timeoutMs', 'tries', 'recordBytes']
const CONNECT_MS = 30_000
const MOST_CONNECT_MS = 600_000
const MOST_TOOLS = 1_000
const TEXT_CHARACTERS = 65_536

/** @throws ToolturnError `option_invalid`, also for a name that is no option */
export function readMcp(given: McpOptions): McpSettings {
  const options = { ...readKnown('options', given, [...COMMON, ...Object.values(WAYS).flat()]) }
  const { name, trusted = false, connectTimeoutMs = CONNECT_MS, log = silentLog } = options
  if (!isSourceName(name)) refuse('name', 'up to 64 letters, digits, `-` and single `_`')
  if (typeof trusted !== 'boolean') refuse('trusted', 'true or false')
  if (!Number.isSafeInteger(connectTimeoutMs) || connectTimeoutMs < 1 || connectTimeoutMs > MOST_CONNECT_MS)
    refuse('connectTimeoutMs', `a whole number of milliseconds, 1 to ${MOST_CONNECT_MS}`)
  for (const level of ['info', 'warn', 'error'] as const) readFunction(`log.${level}`, readKnown('log', log)[level])
  return {
    name,
    way: readWay(options),
    trusted,
    rules: new Map(readEntries('tools', options.tools ?? {}).map(([tool, rules]) => [tool, readRules(`tools.${tool}`, rules)])),
    defaults: readRules('defaults', options.defaults ?? {}),
    connectTimeoutMs,
    log: harmless(log),
  }
}

function readEntries<T>(option: string, given: { readonly [name: string]: T }): readonly (readonly [string, T])[] {
  const entries = Object.entries(readKnown(option, given))
  return entries.length <= MOST_TOOLS ? entries : refuse(option, `at most ${MOST_TOOLS}`)
}

/** Checked as a host's own tool would be: a misspelled `approval` would be a tool that never asks. */
function readRules(option: string, given: McpToolOptions): McpToolOptions {
  const rules = { ...readKnown(option, given, RULES) }
  try {
    tool({ replayPolicy: 'at-most-once', ...rules, name: 'checked', description: '', input: true, run: () => null })
  } catch (error) {
    if (!(error instanceof ToolturnError) || error.code !== 'option_invalid') throw error
    refuse(`${option}.${String(error.details['option'])}`, String(error.details['expected']))
  }
  return rules
}

function readWay(options: McpOptions): Way {
  const named = (['stdio', 'http', 'transport'] as const).filter(by => WAYS[by].some(part => options[part] !== undefined))
  const [by] = named
  if (by === undefined || named.length > 1) refuse('command', 'one of `command`, `url` and `transport`, with what belongs to it')
  switch (by) {
    case 'stdio':
      return readStdio(options)
    case 'http':
      return readHttp(options)
    case 'transport':
      return { by, open: readFunction('transport', options.transport ?? (() => refuse('transport', 'a function'))) }
  }
}

function readStdio({ command, args = [], env, cwd, stderr = 'ignore' }: McpOptions): Way {
  if (stderr !== 'ignore' && stderr !== 'inherit') refuse('stderr', 'ignore or inherit')
  return {
    by: 'stdio',
    command: readText('command', command, TEXT_CHARACTERS),
    args: readList('args', args).map(arg => (typeof arg === 'string' ? arg : refuse('args', 'a list of texts'))),
    stderr,
    ...(env === undefined ? {} : { env: readTexts('env', env) }),
    ...(cwd === undefined ? {} : { cwd: readText('cwd', cwd, TEXT_CHARACTERS) }),
  }
}

function readHttp({ url, headers = {}, authProvider }: McpOptions): Way {
  const parsed = URL.canParse(String(url)) ? new URL(String(url)) : refuse('url', 'an address over http or https')
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') refuse('url', 'an address over http or https')
  return { by: 'http', url: parsed, headers: readTexts('headers', headers), ...(authProvider === undefined ? {} : { authProvider }) }
}

function readTexts(option: string, given: { readonly [name: string]: string }): Record<string, string> {
  const entries = readEntries(option, given)
  if (!entries.every(([, value]) => typeof value === 'string')) refuse(option, 'an object of texts')
  return Object.fromEntries(entries)
}
