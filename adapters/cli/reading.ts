// What people write on a command line, read strictly: numbers, labels, times, JSON, files.

import { accessSync, constants, readFileSync } from 'node:fs'
import { InvalidArgumentError } from 'commander'
import { readJson } from '../../machines/arguments/read.ts'
import { ToolturnError } from '../../machines/errors.ts'
import type { Json } from '../../machines/json.ts'
import { parseJson } from '../../machines/json-text.ts'

/** For commander: a whole number from 0 on. */
export function count(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It is to be a whole number.')
  return Number(text)
}

/** For commander: a whole number from 1 on. */
export function fromOne(text: string): number {
  const number = count(text)
  if (number === 0) throw new InvalidArgumentError('It is to be a whole number from 1 on.')
  return number
}

/** For commander: `name=value`, given once or again and again. */
export function label(text: string, before: { readonly [name: string]: string } = {}): { readonly [name: string]: string } {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('It is to be name=value.')
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) }
}

const ISO_TIME = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/

/** For commander: ISO 8601; where it names no offset, a bare date above all, it is UTC. @returns epoch milliseconds */
export function time(text: string): number {
  const [whole = '', date = '', offset] = ISO_TIME.exec(text) ?? []
  const ms = Date.parse(whole === date || offset !== undefined ? whole : `${whole}Z`)
  // February 30 is no March 2.
  const real = Number.isFinite(ms) && new Date(Date.parse(date)).toISOString().startsWith(date)
  if (!real) throw new InvalidArgumentError('It is to be a time in ISO 8601, like 2026-01-31T09:30:00Z, or a date, like 2026-01-31 (UTC).')
  return ms
}

/** @param option what it was given as. @throws ToolturnError `option_invalid` */
export function json(option: string, text: string): Json {
  const read = readJson(text)
  if (read.ok) return read.value
  throw new ToolturnError('option_invalid', `\`${option}\` is no JSON: ${read.problem.text}`, { option, position: read.problem.position })
}

/** A file of JSON, of whatever size. @throws ToolturnError `option_invalid` */
export function jsonFile(option: string, path: string): Json {
  requireFile(option, path)
  try {
    return parseJson(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new ToolturnError('option_invalid', `The file ${path} is no JSON.`, { option, path }, error)
  }
}

/** @throws ToolturnError `option_invalid` where there is no such file, or it may not be read */
export function requireFile(option: string, path: string): void {
  try {
    accessSync(path, constants.R_OK)
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code
    throw new ToolturnError('option_invalid', `The file ${path} cannot be read.`, { option, path, reason })
  }
}

/** Only what was given: an option that was left out is not handed on as undefined. */
export function given<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as ReturnType<typeof given<T>>
}
