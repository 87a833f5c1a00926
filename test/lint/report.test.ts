// Goal: what was found is printed so that people can read it, however much there is of it.

import { expect, test } from 'vitest'
import { lintCatalog } from '../../adapters/lint/catalog/lint.ts'
import { catalogText, countsText, historyText } from '../../adapters/lint/report.ts'
import { checkTranscript } from '../../adapters/lint/transcript/check.ts'
import { chat, user } from './histories.ts'
import { soundTool } from './tools.ts'

const plain = (_style: string, text: string): string => text

test('a long table ends, and says how much more there is', () => {
  const found = checkTranscript([user, chat.assistant(chat.call('a')), chat.tool('a', '')])
  expect(found).toHaveLength(1)
  const text = historyText(Array.from({ length: 150_000 }, () => found).flat(), plain)
  expect(text.split('\n').length).toBeLessThan(1_010)
  expect(text).toContain('\n… and 149000 more: --json prints them all.\n')
})

test('how to mend something is said once', () => {
  const text = catalogText(lintCatalog(['a', 'b', 'c'].map(letter => soundTool({ name: letter, description: '' }))), plain)
  expect(text.match(/Write three sentences/g)).toHaveLength(1)
  expect(text.match(/There is no description/g)).toHaveLength(3)
})

test('nothing is printed of nothing', () => {
  expect([historyText([], plain), catalogText([], plain), countsText([])]).toEqual(['', '', 'nothing'])
})

test('each severity stands out by its colour', () => {
  const styles: string[] = []
  const ink = (style: string, text: string): string => {
    styles.push(style)
    return text
  }
  catalogText(lintCatalog([soundTool({ name: 'run', replayPolicy: 'at-most-once', output: { $ref: 'https://example.com' } })]), ink)
  expect(styles).toEqual(expect.arrayContaining(['red', 'yellow', 'dim', 'bold']))
})
