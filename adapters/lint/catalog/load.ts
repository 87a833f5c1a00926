// Where a catalog comes from: a module of the user, or a file of JSON that holds descriptors.

import { extname } from 'node:path'
import { ToolturnError } from '../../../machines/errors.ts'
import { isJsonObject, type Json } from '../../../machines/json.ts'
import type { Tool } from '../../../machines/tool.ts'
import { loadModule } from '../../cli/config.ts'
import { readJsonFile } from '../json-file.ts'
import { isDescriptor, type LintedDescriptor } from './linted.ts'

export type Catalog = readonly (Tool | LintedDescriptor)[]

/**
 * The tools of a module: its export `tools`, or its default export, which is a list of them or has one as `tools`, as the
 * options of `createRuntime` do; a source of tools in it stands for what it lists. Or the descriptors of a JSON file.
 *
 * @throws ToolturnError `option_invalid` where there are none
 */
export async function loadCatalog(path: string): Promise<Catalog> {
  if (/^\.(json|jsonl|ndjson)$/.test(extname(path))) return readCatalog('module', path)
  const { tools, default: main } = await loadModule('module', path)
  const list = tools ?? (isRecord(main) ? main['tools'] : main)
  if (Array.isArray(list)) return list.flatMap(entry => toolsIn(entry)).map(tool => asTool(path, tool))
  throw new ToolturnError(
    'option_invalid',
    `The module ${path} exports no tools: \`tools\`, or as its default a list of them or \`{ tools }\`.`,
    {
      option: 'module',
      path,
    },
  )
}

/**
 * The descriptors of a JSON file: a list of them, or an object that has one as `catalog` or `tools`. Or of a file of lines, the
 * last of which to hold a catalog counts: what `lint tools --json` and `events --json` print.
 *
 * @throws ToolturnError `option_invalid` where there are none
 */
export function readCatalog(option: string, path: string): readonly LintedDescriptor[] {
  const list = readJsonFile(option, path)
    .map(({ value }) => descriptorsIn(value))
    .findLast(found => found !== null)
  if (list == null)
    throw new ToolturnError('option_invalid', `The file ${path} holds no catalog: a list of descriptors, or \`{ "catalog": […] }\`.`, {
      option,
      path,
    })
  return list.map(descriptor => asDescriptor(option, path, descriptor))
}

function descriptorsIn(value: Json): readonly Json[] | null {
  if (Array.isArray(value)) return value as readonly Json[]
  if (!isJsonObject(value)) return null
  const inside = [value['catalog'], value['tools'], isJsonObject(value['data']) ? value['data']['catalog'] : undefined]
  return (inside.find(each => Array.isArray(each)) as readonly Json[] | undefined) ?? null
}

/** A source of tools, an MCP server for one, stands for those that it lists now. */
function toolsIn(entry: unknown): readonly unknown[] {
  const list: unknown = isRecord(entry) && typeof entry['list'] === 'function' ? entry['list']() : null
  return Array.isArray(list) ? (list as readonly unknown[]) : [entry]
}

function asTool(path: string, value: unknown): Tool | LintedDescriptor {
  const descriptor = isRecord(value) && isRecord(value['descriptor']) ? value['descriptor'] : value
  asDescriptor('module', path, descriptor)
  return value as Tool | LintedDescriptor
}

function asDescriptor(option: string, path: string, value: unknown): LintedDescriptor {
  if (isDescriptor(value)) return value
  throw new ToolturnError(
    'option_invalid',
    `What ${path} lists is not all tools: each is to be made by tool({ … }), or to have \`name\` and \`inputSchema\`.`,
    {
      option,
      path,
    },
  )
}

function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
