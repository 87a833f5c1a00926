// Names that tell a model nothing of what a tool does.

import { found } from './words.ts'
import type { Finding } from '../finding.ts'
import type { Linted } from './linted.ts'

/** Words that fit any tool. A name that is made of nothing else says nothing. */
const EMPTY: ReadonlySet<string> = new Set([
  'a',
  'the',
  'my',
  'new',
  'this',
  'it',
  'run',
  'do',
  'execute',
  'exec',
  'call',
  'invoke',
  'perform',
  'process',
  'handle',
  'go',
  'start',
  'use',
  'apply',
  'make',
  'get',
  'set',
  'tool',
  'function',
  'func',
  'fn',
  'method',
  'action',
  'operation',
  'op',
  'command',
  'cmd',
  'task',
  'job',
  'step',
  'request',
  'query',
  'helper',
  'util',
  'utils',
  'utility',
  'main',
  'default',
  'handler',
  'api',
  'service',
  'misc',
  'stuff',
  'thing',
  'things',
  'data',
  'item',
  'test',
  'temp',
  'tmp',
  'foo',
  'bar',
  'baz',
  'example',
  'demo',
])

export function nameFindings({ name }: Linted): readonly Finding[] {
  return saysNothing(name) ? [found('name-says-nothing', name, '/name', 'The name says nothing of what the tool does.')] : []
}

function saysNothing(name: string): boolean {
  return wordsOf(name).every(word => word.length === 1 || EMPTY.has(word))
}

/** The words of a name in any of the usual spellings, without numbers. */
export function wordsOf(name: string): readonly string[] {
  const spaced = name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
  return spaced
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter(word => word !== '')
}
