// The rules that a plain reading of a text can judge: its size, its name, what was left in it.

import { posix } from 'node:path'
import { finding, type Finding, type Source, type TextFile } from './source.ts'

const MOST_LINES = 250
const MOST_LINES_WITH_REASON = 300

/** Files that may be longer than the rest, and why one file is right. */
const LONG_FILES: ReadonlyMap<string, string> = new Map([['machines/errors.ts', 'one table: a row for each code, to be read as a whole']])

export function longFiles(file: TextFile): Finding[] {
  const lines = file.text.split('\n').length - 1
  const most = LONG_FILES.has(file.path) || file.path.startsWith('test/') ? MOST_LINES_WITH_REASON : MOST_LINES
  return lines <= most ? [] : [`${file.path}:${most + 1} ${lines} lines, at most ${most}: one file has one idea; move the second one out`]
}

/** Exceptions that stand for files which are short again, or gone. */
export function idleExceptions(files: readonly TextFile[]): Finding[] {
  const long = files.filter(file => file.text.split('\n').length - 1 > MOST_LINES).map(file => file.path)
  return [...LONG_FILES.keys()].filter(path => !long.includes(path)).map(path => `${path}:1 is not long any more: take it off LONG_FILES`)
}

/** Names that say nothing of what is inside. */
export function emptyNames(file: TextFile): Finding[] {
  const part = file.path.split('/').find(each => /^(utils?|helpers?|common|misc|shared|lib|stuff)([.-].*)?$/i.test(each))
  return part === undefined ? [] : [`${file.path}:1 is called \`${part}\`: name it after what it is`]
}

/** Reminders belong in the tracker. The letters in brackets keep this line from finding itself. */
const MARK = /\b(T[O]DO|F[I]XME|X[X]X|H[A]CK)\b/g

export function leftMarks(source: Source): Finding[] {
  return source.comments.flatMap(comment =>
    [...comment.value.matchAll(MARK)].map(match =>
      finding(source, comment.start + match.index, `a left-over \`${match[0]}\`: do it, or write an issue`),
    ),
  )
}

export function leftMarksInText(file: TextFile): Finding[] {
  return [...file.text.matchAll(MARK)].map(match => finding(file, match.index, `a left-over \`${match[0]}\`: do it, or write an issue`))
}

/** Folders that only the machine of one developer has. */
const MACHINE_PATH = /(?<![\w.~-])(\/(work|farm|root|home|Users)\/|[A-Z]:\\Users\\)[^\s'"`)]*/g

export function machinePaths(file: TextFile): Finding[] {
  return [...file.text.matchAll(MACHINE_PATH)].map(match =>
    finding(file, match.index, `\`${match[0]}\` is a path of one machine: build it from import.meta.url, or take it as an option`),
  )
}

/** The compiler and the linter are asked to look away only with a reason. */
export function silencedChecks(source: Source): Finding[] {
  return source.comments.flatMap(comment => {
    const silence = /@ts-(ignore|nocheck|expect-error)|oxlint-disable\S*|eslint-disable\S*/.exec(comment.value)
    if (silence === null || (/-- \S.{8,}/.test(comment.value) && !/ignore|nocheck/.test(silence[0]))) return []
    return [finding(source, comment.start, `\`${silence[0]}\`: mend the type, or use the narrowest form with \`-- reason\``)]
  })
}

const LINK = /\]\((?!\w+:|#)([^)#\s]+)/g
const NAMED_FILE = /`((?:machines|store|bus|adapters|infra|examples|test)\/[\w./-]+\.\w+)`/g

/** Files that a document links to or names, and that are not there. @param exists answers for a path from the top */
export function lostFiles(file: TextFile, exists: (path: string) => boolean): Finding[] {
  if (!file.path.endsWith('.md')) return []
  const folder = posix.dirname(file.path)
  const links = [...file.text.matchAll(LINK)].map(({ index, 1: link = '' }) => ({ at: index, path: posix.join(folder, link) }))
  const named = [...file.text.matchAll(NAMED_FILE)].map(({ index, 1: path = '' }) => ({ at: index, path }))
  return [...links, ...named]
    .filter(({ path }) => !exists(path))
    .map(({ at, path }) => finding(file, at, `points at ${path}, which is not there: mend the path, or the sentence`))
}
