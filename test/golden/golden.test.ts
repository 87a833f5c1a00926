// Goal: how turns go, told in full, and seen when it changes: every event and every effect of the scripts in this folder.
//
// With REWRITE_GOLDEN=1 the traces are written anew. Read the diff before you commit it: what changed in it changed for everybody.

import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runCommands } from './commands.ts'
import { expectGolden } from './compare.ts'
import { createScene } from './scene.ts'
import { runScript } from './script.ts'

const FOLDER = new URL('scripts/', import.meta.url)
const SCRIPTS = readdirSync(FOLDER).filter(name => name.endsWith('.txt'))

test.each(SCRIPTS)('%s', async name => {
  const file = new URL(name, FOLDER)
  const scene = createScene()
  const traced = await runScript(readFileSync(file, 'utf8'), commands => runCommands(scene, commands))
  expectGolden(file, traced)
  expect(scene.stage?.strayed).toEqual([])
})
