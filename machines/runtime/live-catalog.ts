// The catalog of a runtime whose sources change while it runs: the host's own tools, and those of each source as they are now.

import type { Log } from '../ports/world.ts'
import type { ToolSource } from '../ports/source.ts'
import { descriptorVersion, qualifiedName, servedAs, type Tool } from '../tool.ts'
import { MOST_TOOLS, quarantineIfUnusable, refuseUnfit } from './catalog.ts'
import { catalogNames } from './naming.ts'

export type LiveCatalog = {
  /** By exact name. Each look is at the newest whole catalog; what a turn offers was frozen when it opened. */
  readonly tools: ReadonlyMap<string, Tool>
  /** What turns must be content with for this process to drive them (see `servedAs`). */
  readonly serves: readonly string[]
  /** Ends the watching, and closes the sources. */
  readonly close: () => Promise<void>
}

/** The catalog at one moment. */
type Whole = {
  /** What new turns are offered. */
  readonly listed: ReadonlyMap<string, Tool>
  /** The tools of sources by their qualified names: what a turn was once offered so is found so, wherever it is driven. */
  readonly qualified: ReadonlyMap<string, () => Tool | null>
}

/** @param own as `buildCatalog` makes it */
export function liveCatalog(own: ReadonlyMap<string, Tool>, sources: readonly ToolSource[], log: Log): LiveCatalog {
  const compose = composer(own, sources, log)
  let whole = compose()
  const endings = sources.map(source =>
    source.changed(() => {
      whole = compose()
      log.info('the tools of a source changed', { source: source.name, tools: source.list().length })
    }),
  )
  return {
    tools: sources.length === 0 ? own : lookThrough(() => whole),
    serves: [...own.keys(), ...sources.map(({ name }) => servedAs({ name: '', source: name }))],
    close: async () => {
      for (const end of endings) end()
      const closed = await Promise.allSettled(sources.map(source => source.close()))
      if (closed.some(({ status }) => status === 'rejected')) log.warn('a source could not be closed')
    },
  }
}

function composer(own: ReadonlyMap<string, Tool>, sources: readonly ToolSource[], log: Log): () => Whole {
  const names = new Set(own.keys())
  const qualified = new Set<string>()
  const adopt = adopter(log)
  return () => {
    const given = sources.flatMap(source => source.list().map(tool => ({ source: source.name, tool })))
    const kept = given.slice(0, MOST_TOOLS - own.size)
    if (kept.length < given.length) log.warn('there are too many tools; the last ones are left out', { left: given.length - kept.length })
    const listed = new Map(own)
    const found = new Map<string, () => Tool | null>()
    const called = catalogNames(
      names,
      kept.map(({ source, tool }) => ({ source, tool: tool.descriptor.name })),
      qualified,
    )
    for (const [index, { source, tool }] of kept.entries()) {
      const name = called[index] ?? null
      if (name === null) {
        log.warn('a tool is left out: its name is taken, and its qualified name too', { source, tool: tool.descriptor.name })
        continue
      }
      const adopted = adopt(source, tool, name)
      if (adopted !== null) listed.set(name, adopted)
      const whole = qualifiedName(source, tool.descriptor.name)
      found.set(whole, () => adopt(source, tool, whole))
    }
    return { listed, qualified: found }
  }
}

/** Makes a source's tool one of the catalog: under its name there, marked with its source, judged once for all. */
function adopter(log: Log): (source: string, tool: Tool, name: string) => Tool | null {
  const adopted = new WeakMap<Tool, Map<string, Tool | null>>()
  return (source, tool, name) => {
    const known = adopted.get(tool) ?? new Map<string, Tool | null>()
    adopted.set(tool, known)
    const before = known.get(name)
    if (before !== undefined) return before
    const made = adoptOnce(source, tool, name, log)
    known.set(name, made)
    return made
  }
}

function adoptOnce(source: string, tool: Tool, name: string, log: Log): Tool | null {
  const { version: _, quarantined, ...described } = { ...tool.descriptor, name, source }
  const descriptor = { ...described, version: descriptorVersion(described), ...(quarantined === undefined ? {} : { quarantined }) }
  try {
    refuseUnfit({ ...tool, descriptor }, 'tool')
  } catch {
    log.warn('a tool is left out: it is not of the right form', { source, name })
    return null
  }
  return quarantineIfUnusable({ ...tool, descriptor }, log)
}

function lookThrough(now: () => Whole): ReadonlyMap<string, Tool> {
  const get = (name: string): Tool | undefined => now().listed.get(name) ?? now().qualified.get(name)?.() ?? undefined
  return {
    get size() {
      return now().listed.size
    },
    get,
    has: name => get(name) !== undefined,
    keys: () => now().listed.keys(),
    values: () => now().listed.values(),
    entries: () => now().listed.entries(),
    forEach: (each, self) => now().listed.forEach(each, self),
    [Symbol.iterator]: () => now().listed[Symbol.iterator](),
  }
}
