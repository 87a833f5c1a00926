// Compares a text with the one that is kept. With REWRITE_GOLDEN=1 the kept one is written anew: read the diff before you commit
// it; what changed in it changed for everybody who has streams of earlier releases.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'

export function expectGolden(file: URL, text: string): void {
  if (process.env.REWRITE_GOLDEN === '1') writeFileSync(file, text)
  const kept = existsSync(file) ? readFileSync(file, 'utf8') : ''
  expect(text, `differs from ${file.pathname.replace(/^.*\/test\//, 'test/')}`).toBe(kept)
}
