// Everything that can be found in a catalog of tools: how grave it is, by which rule, and how to mend it. Scripts rely on the words.

import { shownName, shownPath, type Finding, type Page } from '../finding.ts'

export const CATALOG_WORDS = {
  'too-many-tools': {
    severity: 'warning',
    rule: 'G3',
    mend: 'Offer a turn only the tools that it may need (`spawn({ tools })`), or merge some.',
  },
  'near-twins': {
    severity: 'warning',
    rule: 'G3',
    mend: 'Merge them into one tool with an `action` parameter that is an `enum` of what they do.',
  },
  'catalog-costly': {
    severity: 'warning',
    rule: 'G3',
    mend: 'Every request carries all of it: shorten schemas and descriptions, or offer a turn fewer tools.',
  },
  'definition-costly': {
    severity: 'warning',
    rule: 'G3',
    mend: 'Every request carries it: say each thing once, and split off what is rarely used.',
  },
  'name-repeated': {
    severity: 'error',
    rule: 'G2',
    mend: 'Name each tool once: a catalog with two of one name is not accepted.',
  },
  'name-says-nothing': {
    severity: 'warning',
    rule: 'G3',
    mend: 'Name it after what it does to what, like `find_order`: models choose by the name first.',
  },
  'description-short': {
    severity: 'warning',
    rule: 'G3',
    mend: 'Write three sentences or more: what it does, when to use it, when not, and what it gives back.',
  },
  'description-without-when': {
    severity: 'warning',
    rule: 'G3',
    mend: 'Add a sentence like: Use it when the customer names an order.',
  },
  'description-without-when-not': {
    severity: 'warning',
    rule: 'G3',
    mend: 'Add a sentence like: Do not use it for invoices.',
  },
  'parameter-undescribed': {
    severity: 'warning',
    rule: 'G3',
    mend: 'Give it a `description`: what it is, its unit or form, an example.',
  },
  'choices-without-enum': {
    severity: 'warning',
    rule: 'G3',
    mend: 'Write the choices as an `enum`: then a model cannot name another one, and a wrong one never reaches the tool.',
  },
  'object-open': {
    severity: 'warning',
    rule: 'G3',
    mend: 'Name its `properties` and add `"additionalProperties": false`: what a model makes up is then told to it, and not dropped.',
  },
  'secret-unmarked': {
    severity: 'warning',
    rule: 'G3',
    mend: 'Mark it `"writeOnly": true` or `"x-secret": true`: the tool still gets it, and no record, message or log does.',
  },
  'schema-unusable': {
    severity: 'error',
    rule: 'G6',
    mend: 'The tool is quarantined: it is not shown to the model, and no call of it runs. Mend its schema.',
  },
  'reconcile-missing': {
    severity: 'info',
    rule: 'D6',
    mend: 'A `reconcile` that can look, and fence, settles a call in doubt after a crash; without one an operator is asked.',
  },
  'tool-removed': {
    severity: 'error',
    rule: 'G3',
    mend: 'Waiting calls of it are refused, and prompts that name it fail. Keep the old name beside the new one for a while.',
  },
  'parameter-removed': {
    severity: 'error',
    rule: 'G3',
    mend: 'Keep it and ignore it for a while, or take a new name for the tool.',
  },
  'parameter-required': {
    severity: 'error',
    rule: 'G3',
    mend: 'Leave it optional, or declare a `default`.',
  },
  'type-changed': {
    severity: 'error',
    rule: 'G3',
    mend: 'Take the old type as well, or give the new one a new name.',
  },
  'enum-narrowed': {
    severity: 'error',
    rule: 'G3',
    mend: 'Go on taking the choices that were there, even if nothing is done with them.',
  },
  'replay-policy-changed': {
    severity: 'error',
    rule: 'D3',
    mend: 'Calls that wait or are in doubt were promised the other one. Take a new name for the tool, or change it when none is open.',
  },
  'content-trust-changed': {
    severity: 'error',
    rule: 'C1',
    mend: 'It decides who may approve what follows a result. Make sure that it is meant.',
  },
} as const satisfies { readonly [word: string]: Page }

export type CatalogWord = keyof typeof CATALOG_WORDS

/** @param tool its name; null where it is about the whole catalog */
export function found(word: CatalogWord, tool: string | null, path: string, what: string): Finding {
  const { severity, rule, mend }: Page = CATALOG_WORDS[word]
  return { severity, finding: word, rule, tool: tool === null ? null : shownName(tool), path: shownPath(path), what, mend }
}
