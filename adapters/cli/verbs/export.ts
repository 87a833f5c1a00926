// `export`: a self-contained audit file that anybody can verify, line by line of JSON.

import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { ToolturnError } from '../../../machines/errors.ts'
import { withConfig, type ConfigFlags } from '../config.ts'
import { EXIT } from '../exit.ts'
import { withRuntime } from '../open.ts'
import type { Output } from '../output.ts'
import { given, time } from '../reading.ts'
import { command, verb, type Verb } from '../verb.ts'
import { withWhere, type WhereFlags } from '../where.ts'

type Flags = WhereFlags & ConfigFlags & { readonly since?: number; readonly until?: number; readonly out?: string }

const words = command('export', 'Write a verifiable audit file (JSONL)', 'export --since 2026-01-01 --until 2026-02-01 --out january.jsonl')
  .argument('[turn]', 'only this turn')
  .option('--since <time>', 'turns opened then or later; ISO 8601, a bare date is UTC', time)
  .option('--until <time>', 'turns opened before then', time)
  .option('--out <file>', 'where to (default: stdout)')

export const exportFile: Verb = verb<Flags>(withConfig(withWhere(words)), async ({ words: [turnId], flags, out }) => {
  const { since, until } = flags
  if (turnId !== undefined && (since !== undefined || until !== undefined)) {
    throw new ToolturnError('option_invalid', 'Either one turn is exported, or those of a time.', { option: '--since' })
  }
  return withRuntime(flags, 'nothing', out, async ({ runtime, tenant }) => {
    const lines = runtime.export(turnId === undefined ? { tenant, ...given({ since, until }) } : { tenant, turnId })
    await (flags.out === undefined ? toStdout(lines, out) : toFile(lines, flags.out, out))
    return EXIT.done
  })
})

async function toStdout(lines: AsyncIterable<string>, out: Output): Promise<void> {
  for await (const line of lines) await out.raw(`${line}\n`)
}

const SAY_EVERY = 100

async function toFile(lines: AsyncIterable<string>, path: string, out: Output): Promise<void> {
  let count = 0
  async function* counted() {
    for await (const line of lines) {
      count += 1
      if (count % SAY_EVERY === 0) out.progress(`${count} lines`)
      yield `${line}\n`
    }
  }
  await pipeline(counted, createWriteStream(path))
  out.note(`${count} lines were written to ${path}.`)
}
