// What the core may not reach for, and what stands in its place. A ban is the name of a global, of a member of one, or of an import.

import { finding, isNode, nameOf, walk, type Finding, type Node, type Source } from './source.ts'

export type Ban = {
  readonly name: string
  /** Top folders (or deeper ones) where it is banned; '' bans it everywhere. */
  readonly where: readonly string[]
  readonly instead: string
}

const LAW = ['machines/']
const CORE = ['machines/', 'store/', 'bus/']

export const BANS: readonly Ban[] = [
  { name: 'Date.now', where: LAW, instead: 'time comes from the store (`Store.now`, `Store.time`) or `Clock.monotonic`' },
  { name: 'new Date()', where: LAW, instead: 'time comes from the store (`Store.now`, `Store.time`) or `Clock.monotonic`' },
  { name: 'performance', where: LAW, instead: 'measure with `Clock.monotonic`' },
  { name: 'setTimeout', where: LAW, instead: 'wait with `Clock.sleep`' },
  { name: 'setInterval', where: LAW, instead: 'wait with `Clock.sleep` in a loop that ends' },
  { name: 'setImmediate', where: LAW, instead: 'wait with `Clock.sleep`' },
  { name: 'AbortSignal.timeout', where: LAW, instead: 'abort a controller after `Clock.sleep`' },
  { name: 'Math.random', where: CORE, instead: 'chance comes from `Random.fraction`' },
  { name: 'crypto', where: LAW, instead: 'randomness comes from `Random`; hash with `createHash` of node:crypto' },
  { name: 'process', where: LAW, instead: 'read the environment in adapters/ and hand the value in' },
  { name: 'process.env', where: ['store/', 'bus/'], instead: 'read the environment in adapters/cli and hand the value in' },
  { name: 'process.exit', where: ['store/', 'bus/'], instead: 'throw; only the command line ends its process' },
  { name: 'console', where: CORE, instead: 'write to the `Log` port' },
  { name: 'fetch', where: CORE, instead: 'the world is reached through an adapter behind a port' },
  { name: 'localeCompare', where: CORE, instead: 'compare code units with `<`: a locale is environment' },
  { name: 'toLocaleString', where: CORE, instead: 'write the text out: a locale is environment' },
  { name: 'eval', where: [''], instead: 'say it in code' },
  { name: 'Function', where: [''], instead: 'say it in code, or name the shape of the function' },
]

/** Every use of a banned name in one file. */
export function bannedNames(source: Source): Finding[] {
  const bans = BANS.filter(ban => ban.where.some(folder => source.path.startsWith(folder)))
  const found: Finding[] = []
  walk(source.program, (node, parent, key) => {
    const names = namesUsed(node, parent, key)
    for (const ban of bans.filter(each => names.includes(each.name))) {
      found.push(finding(source, node.start, `uses \`${ban.name}\`: ${ban.instead}`))
    }
  })
  return found
}

/** The names that a node reaches by: `Date` of an identifier; `random` and `Math.random` of a member. */
function namesUsed(node: Node, parent: Node | null, key: string): string[] {
  if (node.type === 'MemberExpression' && node.computed !== true) {
    const member = nameOf(node.property)
    const object = isNode(node.object) && node.object.type === 'Identifier' ? nameOf(node.object) : ''
    return object === 'globalThis' ? [member] : [`${object}.${member}`, ...(isMethod(member) ? [member] : [])]
  }
  if (node.type !== 'Identifier' || parent === null || isLabel(parent, key)) return []
  return nameOf(node) === 'Date' ? dateUse(parent, key) : [nameOf(node)]
}

/** Reading a date out of a text or a number is pure; a date made of nothing is the clock. */
function dateUse(parent: Node, key: string): string[] {
  const made = /^(New|Call)Expression$/.test(parent.type) && key === 'callee'
  return made && (parent.arguments as Node[]).length === 0 ? ['new Date()'] : []
}

/** Methods that are banned on any object. */
function isMethod(member: string): boolean {
  return member === 'localeCompare' || member === 'toLocaleString'
}

/** True where an identifier only labels something: a key, a member, a name inside a type. */
function isLabel(parent: Node, key: string): boolean {
  if (key === 'property' || (key === 'right' && parent.type === 'TSQualifiedName')) return parent.computed !== true
  if (key === 'key') return parent.computed !== true && parent.shorthand !== true
  return key === 'imported' || key === 'exported' || key === 'label'
}
