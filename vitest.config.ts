// Two projects, one after the other: first the tests that need nothing, then those that import test/servers.ts.
// The limits are for what hangs, not for what is slow: a test that starts a dozen programs on a busy machine takes a minute.

import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

const files = globSync('test/**/*.test.ts')
const onServers = files.filter(file => /from '[^']*\/servers\.ts'/.test(readFileSync(file, 'utf8')))

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: '100%',
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          include: ['test/**/*.test.ts'],
          exclude: onServers,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'servers',
          include: onServers,
          globalSetup: ['test/setup.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
