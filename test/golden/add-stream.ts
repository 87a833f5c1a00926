// Adds the stream that a script leaves behind to the ones that must fold for ever:
//
//     node test/golden/add-stream.ts 0.1.0 held-then-approved clarification
//
// A stream that is there is never written again.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { canonicalJson } from '../../machines/json.ts'
import { runCommands } from './commands.ts'
import { createScene, stageOf } from './scene.ts'
import { runScript } from './script.ts'

const [release = '', ...names] = process.argv.slice(2)
if (!/^\d+\.\d+\.\d+$/.test(release) || names.length === 0) throw new Error('usage: node test/golden/add-stream.ts <release> <script> …')

for (const name of names) {
  const file = new URL(`streams/${release}-${name}.jsonl`, import.meta.url)
  if (existsSync(file)) throw new Error(`the stream ${release}-${name} is there already, and stays as it is`)
  const scene = createScene()
  await runScript(readFileSync(new URL(`scripts/${name}.txt`, import.meta.url), 'utf8'), commands => runCommands(scene, commands))
  const events = await stageOf(scene).events()
  writeFileSync(file, events.map(event => `${canonicalJson(event)}\n`).join(''))
}
