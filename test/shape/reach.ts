// Which files and exports anybody can get to: from the public entries, the command line, tests, scripts and examples.

import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { finding, isNode, literalText, nameOf, TOP, walk, type Finding, type Node, type Source, type TextFile } from './source.ts'

export type PackageJson = {
  readonly bin?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, string>>
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

export function readPackage(): PackageJson {
  return JSON.parse(readFileSync(posix.join(TOP, 'package.json'), 'utf8')) as PackageJson
}

/** Paths of the built modules that the package opens to others, by sub-entry. */
export function builtEntries(manifest: PackageJson): ReadonlyMap<string, string> {
  return new Map(Object.entries(manifest.exports ?? {}).filter(([, target]) => target.endsWith('.js')))
}

/** The sources of the public entries and of the commands. */
export function publicEntries(manifest: PackageJson = readPackage()): string[] {
  const built = [...builtEntries(manifest).values(), ...Object.values(manifest.bin ?? {})]
  return [...new Set(['index.ts', ...built.map(sourceOf)])]
}

/** `./dist/store/postgres.js` is built from `store/postgres.ts`. */
export function sourceOf(built: string): string {
  return posix
    .normalize(built)
    .replace(/^dist\//, '')
    .replace(/\.js$/, '.ts')
}

/** Files that nothing reaches: neither an import nor a text that names them. */
export function deadFiles(sources: readonly Source[], texts: readonly TextFile[], entries: readonly string[]): Finding[] {
  const byPath = new Map(sources.map(source => [source.path, source]))
  const named = texts
    .filter(file => !file.path.endsWith('.ts'))
    .map(file => file.text)
    .join('\n')
  const roots = sources
    .map(source => source.path)
    .filter(path => entries.includes(path) || /\.(test|config)\.ts$/.test(path) || path.startsWith('examples/') || named.includes(path))
  const reached = new Set<string>()
  for (let open = roots; open.length > 0; open = open.flatMap(path => links(byPath.get(path), byPath))) {
    open = open.filter(path => !reached.has(path))
    for (const path of open) reached.add(path)
  }
  return sources.filter(source => !reached.has(source.path)).map(source => `${source.path}:1 is reached by nothing: use it or delete it`)
}

/** The files that one file imports or names. */
function links(source: Source | undefined, byPath: ReadonlyMap<string, Source>): string[] {
  if (source === undefined) return []
  return [...source.imports.flatMap(each => each.target ?? []), ...namedFiles(source)].filter(path => byPath.has(path))
}

/** Files that one file names in a text which is no import: a worker that is started by its path, a set-up of the test runner. */
function namedFiles(source: Source): string[] {
  const found: string[] = []
  walk(source.program, (node, parent) => {
    const text = literalText(node)
    if (text === null || !text.endsWith('.ts') || /^(Import|Export)/.test(parent?.type ?? '')) return
    found.push(posix.join(posix.dirname(source.path), text), posix.normalize(text))
  })
  return found
}

/** Exported values that no other file imports. Types are left out: declarations need them where no import shows it. */
export function deadExports(sources: readonly Source[], entries: readonly string[]): Finding[] {
  const used = new Set<string>()
  for (const { target, names } of sources.flatMap(source => source.imports)) {
    if (target !== null) for (const name of names ?? ['*']) used.add(`${target} ${name}`)
  }
  const started = new Set(sources.flatMap(namedFiles))
  const judged = sources.filter(({ path }) => !entries.includes(path) && !started.has(path) && !/\.config\.ts$|^examples\//.test(path))
  return judged
    .filter(source => !used.has(`${source.path} *`))
    .flatMap(source =>
      exportedValues(source)
        .filter(({ name }) => !used.has(`${source.path} ${name}`))
        .map(({ name, start }) =>
          finding(source, start, `exports \`${name}\`, which no other file imports: keep it to itself, or drop it`),
        ),
    )
}

/** The values that a file exports itself, with the place of each. */
function exportedValues(source: Source): { readonly name: string; readonly start: number }[] {
  return (source.program.body as Node[]).flatMap(node => {
    if (node.type !== 'ExportNamedDeclaration' || node.exportKind === 'type' || isNode(node.source)) return []
    if (isNode(node.declaration)) return declaredNames(node.declaration)
    const values = (node.specifiers as Node[]).filter(each => each.exportKind !== 'type')
    return values.map(each => ({ name: nameOf(each.exported), start: each.start }))
  })
}

function declaredNames(declaration: Node): { readonly name: string; readonly start: number }[] {
  if (/^TS/.test(declaration.type)) return []
  const declared = Array.isArray(declaration.declarations) ? (declaration.declarations as Node[]) : [declaration]
  return declared.flatMap(each => (isNode(each.id) && each.id.type === 'Identifier' ? [{ name: nameOf(each.id), start: each.start }] : []))
}
