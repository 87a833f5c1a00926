// Who may import whom. The picture is in ARCHITECTURE.md; this is the same picture as a table.

import { finding, type Finding, type Import, type Source } from './source.ts'
import type { PackageJson } from './reach.ts'

type Layer = 'machines' | 'store' | 'bus' | 'adapters' | 'door' | 'infra' | 'examples' | 'test'

type Arrows = {
  readonly to: readonly Layer[]
  /** Packages it may import; 'declared': whatever package.json declares. */
  readonly packages: readonly string[] | 'declared'
  /** Built-in modules of Node it may import, and of each the names; 'any': all of them. */
  readonly builtIn: Readonly<Record<string, readonly string[]>> | 'any'
}

const EVERYWHERE: readonly Layer[] = ['machines', 'store', 'bus', 'adapters', 'door', 'infra', 'examples', 'test']

const ARROWS: Readonly<Record<Layer, Arrows>> = {
  machines: {
    to: ['machines'],
    packages: ['xstate', 'ajv', 'ajv-formats', 'ajv-draft-04', 'typebox', 're2js', '@standard-schema/spec'],
    builtIn: { 'node:crypto': ['createHash', 'createHmac', 'timingSafeEqual'], 'node:buffer': ['Buffer'] },
  },
  store: { to: ['machines', 'store'], packages: ['kysely', 'pg', '@electric-sql/pglite', 'typebox'], builtIn: 'any' },
  bus: { to: ['machines', 'bus'], packages: ['@nats-io/transport-node', '@nats-io/jetstream'], builtIn: 'any' },
  adapters: { to: ['machines', 'adapters'], packages: 'declared', builtIn: 'any' },
  door: { to: ['machines', 'adapters'], packages: 'declared', builtIn: 'any' },
  infra: { to: EVERYWHERE.filter(layer => layer !== 'test'), packages: 'declared', builtIn: 'any' },
  examples: { to: ['door', 'examples'], packages: 'declared', builtIn: 'any' },
  test: { to: EVERYWHERE, packages: 'declared', builtIn: 'any' },
}

/** Files that wire the layers together, and so see several of them. */
export const COMPOSITION: ReadonlyMap<string, string> = new Map([
  ['adapters/host.ts', "the composition root: a host's options made into ports"],
  ['adapters/cli/where.ts', 'addresses on the command line made into stores and buses'],
  ['adapters/scenario/places.ts', 'the stores and buses that a scenario runs on'],
  ['adapters/testing.ts', 'the door of what tests need'],
  ['index.ts', 'the public door'],
])

function layerOf(path: string): Layer {
  const [top = ''] = path.split('/')
  return top === path || !Object.hasOwn(ARROWS, top) ? 'door' : (top as Layer)
}

/** Imports of one file that point where its layer may not look. */
export function wrongArrows(source: Source, manifest: PackageJson): Finding[] {
  return source.imports.flatMap(each => {
    const wrong = each.target === null ? wrongPackage(source, each, manifest) : wrongLayer(source, each.target)
    return wrong === null ? [] : [finding(source, each.start, `imports ${each.specifier}: ${wrong}`)]
  })
}

function wrongLayer(source: Source, target: string): string | null {
  const [from, to] = [layerOf(source.path), layerOf(target)]
  if (ARROWS[from].to.includes(to)) return null
  if (COMPOSITION.has(source.path) && (to === 'store' || to === 'bus')) return null
  return `${from}/ may see only ${ARROWS[from].to.join(', ')}; take what you need as a port, from the composition root`
}

function wrongPackage(source: Source, { specifier, names, typeOnly }: Import, manifest: PackageJson): string | null {
  const { packages, builtIn } = ARROWS[layerOf(source.path)]
  if (specifier.startsWith('node:')) {
    if (builtIn === 'any') return null
    const pure = builtIn[specifier]
    if (pure === undefined) return `of Node only ${Object.keys(builtIn).join(', ')} is pure enough; the rest comes through a port`
    const reaches = names?.filter(name => !pure.includes(name)) ?? ['*']
    return reaches.length === 0 ? null : `only ${pure.join(', ')} may be used; chance and keys come through ports`
  }
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
  if (packages !== 'declared' && !packages.includes(name)) return `only ${packages.join(', ')} may be imported here`
  return declared(source, name, typeOnly, manifest) ? null : 'package.json does not declare it for those who install the package'
}

/** What ships may need only what is installed with it; tests, infra and examples also what is there for development. */
function declared(source: Source, name: string, typeOnly: boolean, manifest: PackageJson): boolean {
  const ships = ['machines', 'store', 'bus', 'adapters', 'door'].includes(layerOf(source.path)) && !/\.config\.ts$/.test(source.path)
  const sets = [manifest.dependencies, manifest.peerDependencies, ships && !typeOnly ? {} : manifest.devDependencies]
  return name === 'toolturn' || sets.some(set => set !== undefined && Object.hasOwn(set, name))
}

/** Rings of files that need each other to run, as paths in order. Type-only imports make no ring. */
export function rings(sources: readonly Source[]): string[][] {
  const needs = new Map(
    sources.map(source => [
      source.path,
      source.imports.filter(each => !each.typeOnly && each.target !== null).map(each => each.target as string),
    ]),
  )
  const settled = new Set<string>()
  const found: string[][] = []
  const follow = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path)
    if (at !== -1) found.push([...trail.slice(at), path])
    if (at !== -1 || settled.has(path)) return
    for (const next of needs.get(path) ?? []) follow(next, [...trail, path])
    settled.add(path)
  }
  for (const path of needs.keys()) follow(path, [])
  return found
}
