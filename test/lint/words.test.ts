// Goal: names, descriptions and lists of choices are judged as a reader would judge them.

import { describe, expect, test } from 'vitest'
import { listsChoices } from '../../adapters/lint/catalog/choices.ts'
import { lintCatalog } from '../../adapters/lint/catalog/lint.ts'
import { soundTool } from './tools.ts'

const found = (word: string, tool: ReturnType<typeof soundTool>): boolean => lintCatalog([tool]).some(({ finding }) => finding === word)

describe('a name', () => {
  test.each(['run', 'do', 'tool1', 'execute', 'x', 'doAction', 'my_function', 'Tool-2', 'get_data', 'api.call', '42'])(
    '%s says nothing',
    name => {
      expect(found('name-says-nothing', soundTool({ name }))).toBe(true)
    },
  )

  test.each(['find_order', 'search', 'think', 'calculate', 'runBackup', 'get_weather', 'sql_query', '検索', 'send-mail'])(
    '%s says something',
    name => {
      expect(found('name-says-nothing', soundTool({ name }))).toBe(false)
    },
  )
})

describe('a description', () => {
  test.each([
    'Finds an order. Call this when one is named. Never use it for invoices.',
    'Finds an order; use find_invoice instead for invoices. Gives state and date. Useful for questions about delivery.',
    "Finds an order. Use this tool to look one up. Don't use it twice for one order.",
    'Finds an order.\n- Use when: an order is named\n- Avoid: invoices',
  ])('%s says when and when not', description => {
    expect(lintCatalog([soundTool({ description })])).toEqual([])
  })

  test.each<[string, readonly string[]]>([
    ['', ['description-short']],
    [' \n', ['description-short']],
    ['Order lookup', ['description-short', 'description-without-when', 'description-without-when-not']],
    ['Finds an order, e.g. by its id. It is fast. It is cheap.', ['description-without-when', 'description-without-when-not']],
    ['Do not use it for invoices. Never use it twice. It is slow.', ['description-without-when']],
    ['注文を検索します。', ['description-short']],
    ['注文を検索します。注文番号がある場合に使います。請求書には使いません。', []],
  ])('%j lacks what it lacks', (description, words) => {
    expect(lintCatalog([soundTool({ description })]).map(({ finding }) => finding)).toEqual(words)
  })

  test('of any length is judged in no time', () => {
    for (const piece of ['use ', 'not ', 'a. ', '"a" or ', 'a|', 'one of ']) {
      const description = piece.repeat(50_000)
      lintCatalog([soundTool({ description })])
      listsChoices(description)
    }
  })
})

describe('choices', () => {
  test.each([
    'One of: red, green, blue.',
    'one of red, green or blue',
    'Sort order, either asc or desc.',
    "'asc' or 'desc'",
    'Sort order ("asc", "desc").',
    '`a`/`b`',
    'open|closed|all',
    'State: open | closed',
    'Priority (low/medium/high).',
    'Possible values are: `draft`, `final`.',
    'Allowed values: draft, final',
    'Must be asc or desc.',
    'The unit. Valid options: metric, imperial.',
    'Choices are “yes” and “no”.',
  ])('are listed in: %s', description => {
    expect(listsChoices(description)).toBe(true)
  })

  test.each([
    'Id of the order, like 42.',
    'The city, e.g. "Graz" or "Linz".',
    "A name such as 'Ana' or 'Bo'.",
    'Date (2024-05-20).',
    'One of the orders of the customer.',
    'Either the id of the order or its date.',
    "The customer's or the seller's note.",
    'A URL like https://example.com/a/b/c.',
    'Path of a file: src/a/b.ts',
    'Comma-separated ids.',
    'The text to search for, in any language.',
    'Must be a valid address.',
    'and/or',
    'Values above 10 are cut.',
    '',
  ])('are not listed in: %s', description => {
    expect(listsChoices(description)).toBe(false)
  })
})
