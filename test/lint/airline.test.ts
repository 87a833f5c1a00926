// Goal: real conversations, a hundred of them with 572 calls, are read whole, and what is wrong with them is found and nothing else.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkFile } from '../../adapters/lint/transcript/file.ts'

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'shared', 'data', 'airline')
const CONVERSATIONS = join(FOLDER, 'conversations.jsonl')

// Reason: the recordings are not part of the project; they stand beside the checkout where there are some.
describe.skipIf(!existsSync(CONVERSATIONS))("the airline's conversations", () => {
  test('pair every call with its one result', () => {
    const checked = checkFile(CONVERSATIONS)
    expect(checked).toHaveLength(100)
    expect(new Set(checked.map(({ format }) => format))).toEqual(new Set(['Chat Completions']))
    expect(checked.flatMap(({ findings }) => findings).filter(({ severity }) => severity === 'error')).toEqual([])
  })

  test('hold ids that come again, and a tool that answers with nothing: which is what is known of them', () => {
    const findings = checkFile(CONVERSATIONS).flatMap(checked => checked.findings)
    const counts = Map.groupBy(findings, ({ finding }) => finding)
    expect(new Map([...counts].map(([word, found]) => [word, found.length]))).toEqual(
      new Map([
        ['id-reused', 38],
        ['result-empty', 48],
      ]),
    )
    expect(new Set(counts.get('result-empty')?.map(({ tool }) => tool))).toEqual(new Set(['think']))
  })

  test('are named by their line', () => {
    const [, ...others] = checkFile(CONVERSATIONS, 'openai')
    const places = others.flatMap(({ findings }) => findings.map(({ path }) => path))
    expect(places[0]).toMatch(/^line \d+: messages\[\d+\](\.tool_calls\[0\])?$/)
  })
})
