// How a provider is reached: its address, the key that opens it, and that a request goes there and nowhere else.

import { readText, refuse } from '../../machines/runtime/door.ts'

const URL_CHARACTERS = 2_048
const KEY_CHARACTERS = 16_384
/** What a header may hold: of anything else the platform says in its error what stood there. */
const KEY = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/

/** @throws ToolturnError `option_invalid`; what was given is not repeated */
export function readUrl(option: string, given: unknown): string {
  const text = readText(option, given, URL_CHARACTERS)
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return refuse(option, 'an http or https URL')
  return url.username === '' && url.password === '' ? text : refuse(option, 'a URL without a name and a password')
}

/** @throws ToolturnError `option_invalid`; what was given is not repeated */
export function readKey(option: string, given: unknown): string {
  const key = readText(option, given, KEY_CHARACTERS)
  return KEY.test(key) ? key : refuse(option, 'a key as a header can hold it: printable ASCII, no space around it')
}

/** What a variable of the environment holds, as the SDKs read it; undefined where it holds nothing. */
export function environment(variable: string): string | undefined {
  const value = process.env[variable]?.trim()
  return value === '' ? undefined : value
}

/** The transcript goes to the server that the host named; one that points to another server is answered with its status. */
export const STAY = { redirect: 'manual' } as const
