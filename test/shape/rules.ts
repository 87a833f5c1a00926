// The rules of one file that a syntax tree can judge. Each takes a parsed file and gives its findings, with what to do instead.

import { finding, isNode, lineOf, literalText, nameOf, walk, type Finding, type Node, type Source } from './source.ts'

const MOST_FUNCTION_LINES = 70
const MOST_COLUMNS = 140
const CORE = /^(machines|store|bus)\//
const TEST_CALLS = new Set(['describe', 'it', 'test'])

/** A function fits on a screen. One that only lists tests is not measured; its tests are. */
export function longFunctions(source: Source): Finding[] {
  const found: Finding[] = []
  walk(source.program, node => {
    if (!/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) return
    const lines = lineOf(source.text, node.end) - lineOf(source.text, node.start) + 1
    if (lines <= MOST_FUNCTION_LINES || (source.path.startsWith('test/') && listsTests(node))) return
    found.push(finding(source, node.start, `a function of ${lines} lines (${MOST_FUNCTION_LINES} at most): name its parts`))
  })
  return found
}

function listsTests(node: Node): boolean {
  let lists = false
  walk(node, inner => {
    lists ||= inner.type === 'CallExpression' && TEST_CALLS.has(rootName(inner.callee))
  })
  return lists
}

/** The first name of a chain: `it` of `it.each(rows)`. */
function rootName(node: unknown): string {
  if (!isNode(node)) return ''
  if (node.type === 'CallExpression') return rootName(node.callee)
  return node.type === 'MemberExpression' ? rootName(node.object) : nameOf(node)
}

/** A text in quotes may run on: it is read by its reader, not by ours. */
export function longLines(source: Source): Finding[] {
  const texts: Node[] = []
  walk(source.program, node => {
    if (node.type === 'TemplateElement' || literalText(node) !== null) texts.push(node)
  })
  let start = 0
  return source.text.split('\n').flatMap(line => {
    const edge = start + MOST_COLUMNS
    start += line.length + 1
    if (line.length <= MOST_COLUMNS || texts.some(text => text.start < edge && text.end > edge)) return []
    return [finding(source, edge, `${line.length} columns, at most ${MOST_COLUMNS}: break the line`)]
  })
}

export function looseTypes(source: Source): Finding[] {
  if (!CORE.test(source.path)) return []
  return each(source, 'TSAnyKeyword', () => 'the type `any`: say `unknown` and narrow it, or name the shape')
}

export function classes(source: Source): Finding[] {
  return each(source, /^Class(Declaration|Expression)$/, node =>
    /Error$/.test(nameOf(node.superClass)) ? null : 'a class that is no error: a function that returns an object of functions will do',
  )
}

/** Config files are read by tools that want a default export. */
export function defaultExports(source: Source): Finding[] {
  if (/(^|[./])config\.ts$/.test(source.path)) return []
  return each(source, 'ExportDefaultDeclaration', () => 'a default export: export it under the name it is to be found by')
}

export function erasedSyntax(source: Source): Finding[] {
  return [
    ...each(source, 'TSEnumDeclaration', () => 'an enum: use a union of literals'),
    ...each(source, 'TSModuleDeclaration', node => (node.declare === true ? null : 'a namespace: use a file')),
    ...each(source, 'TSParameterProperty', () => 'a parameter property: declare the field and assign it'),
  ]
}

/** A file that only hands on what others export hides where things live. */
export function barrels(source: Source, entries: readonly string[]): Finding[] {
  const body = source.program.body as Node[]
  if (entries.includes(source.path) || body.length === 0) return []
  const handsOn = body.every(node => /^Export(All|Named)Declaration$/.test(node.type) && isNode(node.source))
  return handsOn ? [finding(source, 0, 'only hands on exports of others: import from the file that has them')] : []
}

/** Nothing is swallowed silently: an empty handler says in a comment why nothing is to be done. */
export function swallowedErrors(source: Source): Finding[] {
  if (source.path.startsWith('test/')) return []
  const found: Finding[] = []
  walk(source.program, node => {
    const body = node.type === 'CatchClause' ? node.body : emptyRejectionHandler(node)
    if (!isNode(body) || !Array.isArray(body.body) || body.body.length > 0) return
    if (hasComment(source, node.start, body.end)) return
    found.push(finding(source, body.start, 'an error is dropped: handle it, or say in a comment here why it may be'))
  })
  return found
}

function emptyRejectionHandler(node: Node): unknown {
  if (node.type !== 'CallExpression' || !isNode(node.callee) || node.callee.type !== 'MemberExpression') return null
  const [handler] = node.arguments as Node[]
  return nameOf(node.callee.property) === 'catch' && handler?.type === 'ArrowFunctionExpression' ? handler.body : null
}

/** A test that does not run says why: in a comment on its line or the one above, or in its name (`NOT TESTED: …`). */
export function switchedOffTests(source: Source): Finding[] {
  return each(source, 'MemberExpression', node => {
    const switchName = nameOf(node.property)
    if (node.computed === true || !TEST_CALLS.has(rootName(node.object))) return null
    if (switchName === 'only') return 'a focused test: take `.only` away'
    if (!['skip', 'skipIf', 'runIf', 'todo', 'fails'].includes(switchName)) return null
    if (/^\(['"`]NOT TESTED: /.test(source.text.slice(node.end, node.end + 20))) return null
    const reason = hasComment(source, lineStart(source.text, node.start, 1), lineEnd(source.text, node.end))
    return reason ? null : `\`.${switchName}\` without a reason: say why in a comment above`
  })
}

/** A loop without a body has nothing else to end with. */
export function semicolons(source: Source): Finding[] {
  return each(source, /(Statement|Declaration)$/, node => {
    const bodiless = [node, node.body].some(each => isNode(each) && each.type === 'EmptyStatement')
    const ends = source.text.slice(node.end - 1, node.end + 1) === ';\n'
    return ends && !bodiless ? 'a semicolon at the end of a line: leave it out' : null
  })
}

/** Each file says its one idea first. */
export function headComment(source: Source): Finding[] {
  const opening = source.text.replace(/^#!.*\n/, '')
  return /^\s*\/[/*]/.test(opening) ? [] : [finding(source, 0, 'does not begin with a comment that says its one idea')]
}

function hasComment(source: Source, start: number, end: number): boolean {
  return source.comments.some(comment => comment.start >= start && comment.start <= end && comment.value.trim().length > 3)
}

function lineStart(text: string, offset: number, linesBefore: number): number {
  let at = offset
  for (let line = 0; line <= linesBefore && at > 0; line++) at = text.lastIndexOf('\n', at - 1)
  return Math.max(at, 0)
}

function lineEnd(text: string, offset: number): number {
  const at = text.indexOf('\n', offset)
  return at === -1 ? text.length : at
}

/** A finding for every node of a type that the judge has a sentence for. */
function each(source: Source, type: string | RegExp, judge: (node: Node) => string | null): Finding[] {
  const found: Finding[] = []
  walk(source.program, node => {
    if (typeof type === 'string' ? node.type !== type : !type.test(node.type)) return
    const sentence = judge(node)
    if (sentence !== null) found.push(finding(source, node.start, sentence))
  })
  return found
}
