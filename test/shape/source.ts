// Reads the project's own files: their text, their syntax trees and what they import. The rules look at nothing else.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, extname, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'

/** The top of the checkout. */
export const TOP = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** A node of the syntax tree, as far as the rules need to know it. */
export type Node = { readonly type: string; readonly start: number; readonly end: number; readonly [key: string]: unknown }

/** Told of a node, the node above it, and the key it hangs under. */
export type Visit = (node: Node, parent: Node | null, key: string) => void

export type Import = {
  readonly specifier: string
  /** Path from the top when it points into the project, else null. */
  readonly target: string | null
  /** `import type` and type positions: gone when the code runs. */
  readonly typeOnly: boolean
  /** What is imported by name; null for the whole module (a namespace, `export *`, a dynamic import). */
  readonly names: readonly string[] | null
  readonly start: number
}

export type Source = {
  /** From the top, with `/`. */
  readonly path: string
  readonly text: string
  readonly program: Node
  readonly comments: readonly { readonly value: string; readonly start: number; readonly end: number }[]
  readonly imports: readonly Import[]
}

export type TextFile = { readonly path: string; readonly text: string }

/** One broken rule: where, what, and what to do instead. */
export type Finding = string

const PARSED = new Set(['.ts', '.mts'])
const READ = new Set([...PARSED, '', '.md', '.json', '.yaml', '.yml', '.sh', '.conf', '.sql', '.html', '.css', '.js', '.mjs', '.txt'])
const LEFT_OUT = new Set(['node_modules', 'dist', 'coverage', '.git', '.toolturn', 'package-lock.json', '.DS_Store'])

/** Every file of the project that people write, by path. */
export function readTexts(folder = ''): TextFile[] {
  const files: TextFile[] = []
  for (const entry of readdirSync(posix.join(TOP, folder), { withFileTypes: true })) {
    const path = posix.join(folder, entry.name)
    if (LEFT_OUT.has(entry.name)) continue
    if (entry.isDirectory()) files.push(...readTexts(path))
    else if (READ.has(extname(path))) files.push({ path, text: readFileSync(posix.join(TOP, path), 'utf8') })
  }
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/** Every TypeScript file of the project, parsed. */
export function readSources(): Source[] {
  return readTexts()
    .filter(file => PARSED.has(extname(file.path)))
    .map(file => parse(file.path, file.text))
}

/** @throws Error when the text is not TypeScript */
export function parse(path: string, text: string): Source {
  const { program, comments, errors } = parseSync(path, text, { lang: 'ts', sourceType: 'module' })
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`)
  const root = program as unknown as Node
  return { path, text, program: root, comments, imports: findImports(path, root) }
}

/** Visits every node below and including `node`, parents first. */
export function walk(node: Node, visit: Visit, parent: Node | null = null, key = ''): void {
  visit(node, parent, key)
  for (const [name, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) walk(child, visit, node, name)
    }
  }
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}

/** Line number, from 1. */
export function lineOf(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1
  return line
}

export function finding(source: TextFile, offset: number, sentence: string): Finding {
  return `${source.path}:${lineOf(source.text, offset)} ${sentence}`
}

/** The value of a string literal node, else null. */
export function literalText(node: unknown): string | null {
  return isNode(node) && node.type === 'Literal' && typeof node.value === 'string' ? node.value : null
}

function findImports(path: string, program: Node): Import[] {
  const imports: Import[] = []
  walk(program, node => {
    const specifier = literalText(node.source)
    if (specifier === null || !/Import|Export/.test(node.type)) return
    imports.push({
      specifier,
      target: specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : null,
      typeOnly: node.type === 'TSImportType' || node.importKind === 'type' || node.exportKind === 'type',
      names: importedNames(node),
      start: node.start,
    })
  })
  return imports
}

function importedNames(node: Node): string[] | null {
  if (!Array.isArray(node.specifiers)) return null
  const names: string[] = []
  for (const specifier of node.specifiers as Node[]) {
    if (specifier.type === 'ImportNamespaceSpecifier') return null
    if (specifier.type === 'ImportDefaultSpecifier') names.push('default')
    else names.push(nameOf(specifier.type === 'ImportSpecifier' ? specifier.imported : specifier.local))
  }
  return names
}

/** The text of an identifier, or of a name that is written as a string. */
export function nameOf(node: unknown): string {
  if (!isNode(node)) return ''
  return typeof node.name === 'string' ? node.name : (literalText(node) ?? '')
}
