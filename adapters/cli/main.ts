#!/usr/bin/env node
// The command `toolturn`.

import { readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// A command is over before what it compiled pays off; the next one finds it compiled.
enableCompileCache()
const { runCommand } = await import('./program.ts')

const { version } = JSON.parse(readFileSync(fileURLToPath(import.meta.resolve('toolturn/package.json')), 'utf8')) as { version: string }

// Whoever reads may stop reading; the write that meets it says so. Without a listener Node would end the process with a stack.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', () => {
    /* told where it was written */
  })

// A module of the user may have left something open that would keep the process alive.
process.exit(await runCommand(process.argv.slice(2), version))
