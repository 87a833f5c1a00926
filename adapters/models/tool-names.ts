// Tool names within a provider's alphabet and length. What fits is left alone; the rest gets a name of its own, and the way back is
// a table of exactly what was offered, so that a name never leads to a tool that it was not made for.

import { createHash } from 'node:crypto'

const DIGEST_CHARACTERS = 8

/** Both ways between a host's tool names and the ones that a provider is sent. */
export type ToolNames = {
  /** The provider's name of a host's tool. One that was not offered, from an older round, is written by the same rule. */
  readonly toProvider: (name: string) => string
  /** The host's name; a name that was offered to nobody is given back as it is, for the name gate to refuse. */
  readonly toHost: (name: string) => string
}

/**
 * @param offered the host's names in this request
 * @param fits what the provider takes as a name
 * @param mostCharacters the provider's bound
 */
export function toolNames(offered: readonly string[], fits: RegExp, mostCharacters: number): ToolNames {
  const isFit = (name: string): boolean => name.length <= mostCharacters && fits.test(name)
  const rename = (name: string): string => (isFit(name) ? name : writtenAnew(name, mostCharacters))
  const back = new Map<string, string>()
  for (const name of offered.filter(isFit)) back.set(name, name)
  const forward = new Map<string, string>()
  for (const name of offered.filter(name => !isFit(name))) {
    const free = firstFree(rename(name), back, mostCharacters)
    back.set(free, name)
    forward.set(name, free)
  }
  return { toProvider: name => forward.get(name) ?? rename(name), toHost: name => back.get(name) ?? name }
}

/** What is readable of the name, and a digest of all of it. */
function writtenAnew(name: string, mostCharacters: number): string {
  const readable = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, mostCharacters - DIGEST_CHARACTERS - 1)
  const digest = createHash('sha256').update(name).digest('hex').slice(0, DIGEST_CHARACTERS)
  return `${readable}_${digest}`
}

/** A host may have given one tool the very name that another one would get. */
function firstFree(name: string, taken: ReadonlyMap<string, string>, mostCharacters: number): string {
  let free = name
  for (let next = 2; taken.has(free); next += 1) free = `${name.slice(0, mostCharacters - String(next).length - 1)}_${next}`
  return free
}
