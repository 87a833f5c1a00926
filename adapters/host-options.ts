// What a host configures, checked as a whole before anything is opened.

import { ToolturnError } from '../machines/errors.ts'
import type { ProviderTool } from '../machines/events/turn.ts'
import type { Model } from '../machines/ports/model.ts'
import type { ToolSource } from '../machines/ports/source.ts'
import type { Blobs, Log } from '../machines/ports/world.ts'
import { buildCatalog } from '../machines/runtime/catalog.ts'
import { readFunction, readKnown, readLimits, readList, readText, refuse } from '../machines/runtime/door.ts'
import { isSourceName, type Tool } from '../machines/tool.ts'
import { systemRandom } from './clock.ts'
import type { HostOptions } from './host.ts'
import { harmless, silentLog } from './log.ts'
import { createRedactor, type RedactOptions } from './redact.ts'
import { createSealer } from './seal.ts'

const NAMES = [
  'name',
  'store',
  'bus',
  'model',
  'tools',
  'system',
  'ask',
  'policy',
  'limits',
  'providerTools',
  'redact',
  'key',
  'blobs',
  'drive',
  'concurrency',
  'log',
]
const CONCURRENCY = 64
const NAME_CHARACTERS = 100
const SYSTEM_CHARACTERS = 1_000_000

/** @throws ToolturnError `option_invalid`, also for a name that is no option; `tool_name_duplicate`, `replay_policy_missing` */
export function readHost(given: HostOptions) {
  const options = { ...readKnown('options', given, NAMES) }
  const { name = 'default', ask = 'ask_user', drive = true, concurrency = CONCURRENCY, model = null, policy = () => 'allow' } = options
  if (typeof drive !== 'boolean') refuse('drive', 'true or false')
  if (!Number.isSafeInteger(concurrency) || concurrency < 1) refuse('concurrency', 'a whole number, from 1')
  if (drive && model === null) refuse('model', 'a model, or `drive: false` where no turn is driven')
  if (options.limits !== undefined) readLimits(readKnown('limits', options.limits))
  const log = options.log === undefined ? silentLog : harmless(readLog(options.log))
  return {
    ...readTools(options.tools ?? [], log),
    name: readText('name', name, NAME_CHARACTERS),
    ask: ask === '' ? ask : readText('ask', ask),
    drive,
    concurrency,
    log,
    model: model === null ? null : readModel(model),
    policy: readFunction('policy', policy),
    system: readSystem(options.system),
    limits: options.limits,
    providerTools: readProviderTools(options.providerTools),
    blobs: readBlobs(options.blobs),
    redactor: createRedactor(readRedact(options.redact)),
    sealer: options.key === undefined ? null : createSealer(readHostKey(options.key), systemRandom),
    store: options.store === undefined ? null : readSource('store', options.store),
    bus: options.bus === undefined ? null : readSource('bus', options.bus),
  }
}

const MOST_ENTRIES = 10_000

/** Tools, and sources of tools, apart. */
function readTools(given: NonNullable<HostOptions['tools']>, log: Log) {
  const entries = readList('tools', given, MOST_ENTRIES)
  const sources = entries.filter(isSource)
  for (const [index, source] of sources.entries()) {
    readFunction(`the source ${source.name}.changed`, source.changed)
    readFunction(`the source ${source.name}.close`, source.close)
    if (!isSourceName(source.name)) refuse('tools', 'sources with a name of up to 64 letters, digits, `-` and single `_`')
    if (sources.findIndex(({ name }) => name === source.name) < index)
      throw new ToolturnError('tool_name_duplicate', `Two sources of tools are called ${JSON.stringify(source.name)}.`, {
        source: source.name,
      })
  }
  const own = entries.filter((entry): entry is Tool => !isSource(entry))
  return { tools: buildCatalog(own, log), sources }
}

function isSource(entry: Tool | ToolSource): entry is ToolSource {
  return typeof entry === 'object' && entry !== null && 'list' in entry && typeof entry.list === 'function'
}

function readLog(log: Log): Log {
  for (const level of ['info', 'warn', 'error'] as const) readFunction(`log.${level}`, readKnown('log', log)[level])
  return log
}

function readModel(model: Model): Model {
  const { name, capabilities, ask } = readKnown('model', model)
  readText('model.name', name)
  readFunction('model.ask', ask)
  const { toolCalls, enforcedOutput } = readKnown('model.capabilities', capabilities)
  if (toolCalls !== 'native' && toolCalls !== 'none') refuse('model.capabilities.toolCalls', 'native, none')
  if (typeof enforcedOutput !== 'boolean') refuse('model.capabilities.enforcedOutput', 'true or false')
  return model
}

function readSystem(system: string | undefined): string | undefined {
  if (system === undefined || (typeof system === 'string' && system.length <= SYSTEM_CHARACTERS)) return system
  return refuse('system', `a text of at most ${SYSTEM_CHARACTERS} characters`)
}

const POLICIES = ['read-only', 'idempotent', 'at-most-once']

function readProviderTools(given: readonly ProviderTool[] = []): readonly ProviderTool[] {
  return readList('providerTools', given).map((row, index) => {
    const option = `providerTools[${index}]`
    const { name, replayPolicy } = readKnown(option, row, ['name', 'replayPolicy'])
    if (!POLICIES.includes(replayPolicy)) refuse(`${option}.replayPolicy`, POLICIES.join(', '))
    return { name: readText(`${option}.name`, name), replayPolicy }
  })
}

const MOST_SECRETS = 10_000

/** The details of what is refused never hold a value. */
function readRedact(given: RedactOptions = {}): RedactOptions {
  const parts = ['values', 'detectors', 'fields'] as const
  const redact = readKnown('redact', given, parts)
  for (const part of parts) {
    const texts = readList(`redact.${part}`, redact[part] ?? [], MOST_SECRETS)
    if (!texts.every(text => typeof text === 'string')) refuse(`redact.${part}`, 'a list of texts')
  }
  return redact
}

function readHostKey(key: Uint8Array | string): Uint8Array | string {
  return typeof key === 'string' || (key as unknown) instanceof Uint8Array ? key : refuse('key', '32 bytes, or their base64')
}

function readBlobs(blobs: Blobs | 'store' | undefined): Blobs | 'store' | null {
  if (blobs === undefined) return null
  if (blobs === 'store') return blobs
  const { put, get } = (blobs ?? {}) as Partial<Blobs>
  return typeof put === 'function' && typeof get === 'function' ? blobs : refuse('blobs', "'store', or a blob store")
}

function readSource<Source extends { readonly open: unknown }>(option: string, source: Source): Source {
  readFunction(`${option}.open`, readKnown(option, source).open)
  return source
}
