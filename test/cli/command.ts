// Runs the real program as a child process, in a folder of its own and without the settings of whoever runs the tests.

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

export type Started = {
  readonly child: ChildProcess
  /** Resolves when what was written so far holds the text; rejects when the program ends without it. */
  readonly says: (text: string) => Promise<void>
  readonly ended: Promise<Ended>
}

const MAIN = join(import.meta.dirname, '..', '..', 'adapters', 'cli', 'main.ts')
export const CONFIG = join(import.meta.dirname, 'host.config.ts')

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolturn-cli-'))
  folders.push(folder)
  return folder
}

let home: string | undefined

type Env = Readonly<Record<string, string>>

/** Starts `toolturn <words>`. Its stdin is closed. */
export function start(words: readonly string[], env: Env = {}): Started {
  return startProgram(process.execPath, [MAIN, ...words], env)
}

/** Runs `toolturn <words>` with a terminal as its stdout and stderr, as `script` of util-linux gives one. */
export function inTerminal(words: readonly string[], env: Env = {}): Promise<Ended> {
  const quoted = [process.execPath, MAIN, ...words].map(word => `'${word}'`).join(' ')
  return startProgram('script', ['-qec', quoted, '/dev/null'], { TERM: 'xterm', ...env }).ended
}

function startProgram(file: string, words: readonly string[], env: Env): Started {
  home ??= freshFolder()
  const own = /^(TOOLTURN_|CI$|FORCE_COLOR$|NO_COLOR$)/
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)))
  const child = spawn(file, words, { cwd: home, env: { ...inherited, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text
  })
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }))
  return { child, ended, says: text => says(child, text, () => `${stdout}${stderr}`) }
}

/** Runs `toolturn <words>` to its end. */
export function toolturn(words: readonly string[], env: Env = {}): Promise<Ended> {
  return start(words, env).ended
}

function says(child: ChildProcess, text: string, written: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (written().includes(text)) resolve()
    }
    child.stdout?.on('data', look)
    child.stderr?.on('data', look)
    child.once('close', () => reject(new Error(`It ended without saying ${text}: ${written()}`)))
    look()
  })
}

/** The JSON that a command printed. */
export function jsonOf<T>({ code, stdout, stderr }: Ended): T {
  if (stdout === '') throw new Error(`It printed nothing and ended with ${code}: ${stderr}`)
  return JSON.parse(stdout) as T
}

/** The error that a command printed with `--json`, in the last line of its stderr. */
export function errorOf({ stderr }: Ended): object {
  const last = stderr.trimEnd().split('\n').at(-1) ?? ''
  return (JSON.parse(last) as { error: object }).error
}
