// What a lint finds: how grave it is, by which rule of the contract, where it stands, and how to mend it. Never content.

import { cutText } from '../../machines/text.ts'
import { safeLine } from '../cli/text.ts'

/** `error`: it will fail, or has lost something. `warning`: it works, and badly. `info`: to be known. */
export type Severity = 'error' | 'warning' | 'info'

export type Finding = {
  readonly severity: Severity
  /** A stable word for what was found; scripts may rely on it. */
  readonly finding: string
  /** Number of the contract's rule that it is measured by. */
  readonly rule: string
  /** Name of the tool it is about; null where it is about the whole. */
  readonly tool: string | null
  /** In a history the place in its messages (`[3].content[0]`), in a catalog a JSON pointer into the descriptor. */
  readonly path: string
  /** What is the matter, in a sentence. Of what was read it holds ids and names only, made safe for a terminal. */
  readonly what: string
  readonly mend: string
}

/** What is the same for all findings of one word. */
export type Page = { readonly severity: Severity; readonly rule: string; readonly mend: string }

const SHOWN_CHARACTERS = 128
const PATH_CHARACTERS = 512

/** An id or a name as it may be shown: on one line, safe for a terminal, cut where it is long. */
export function shownName(name: string): string {
  return safeLine(cutText(name, SHOWN_CHARACTERS))
}

/** The same in quotes. */
export function quoted(name: string): string {
  return `\`${shownName(name)}\``
}

/** A place whose parts others have named. */
export function shownPath(path: string): string {
  return safeLine(cutText(path, PATH_CHARACTERS))
}
