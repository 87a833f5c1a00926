// Two projects, one after the other: first the tests that need nothing, then those that import test/servers.ts.

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
          testTimeout: 30_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'servers',
          include: onServers,
          globalSetup: ['test/setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
