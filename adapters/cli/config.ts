// The user's own module: the options of `createRuntime`, or in short its tools. Loaded as code, and checked before it is used.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Option, type Command } from 'commander'
import { ToolturnError } from '../../machines/errors.ts'
import type { Model } from '../../machines/ports/model.ts'
import type { ToolSource } from '../../machines/ports/source.ts'
import type { Tool } from '../../machines/tool.ts'
import type { HostOptions } from '../host.ts'

export type ConfigFlags = { readonly config?: string; readonly tools?: string }

/** Adds `--config` and `--tools` to a verb. */
export function withConfig(command: Command): Command {
  return command
    .addOption(new Option('--config <module>', 'module whose default export is the options of createRuntime').conflicts('tools'))
    .addOption(new Option('--tools <module>', 'in short: its default export is the list of tools, and `model`, if exported, the model'))
}

/** @throws ToolturnError `option_invalid` when no module is named */
export function requireConfig({ config, tools }: ConfigFlags, verb: string): void {
  if (config !== undefined || tools !== undefined) return
  const needed = `\`${verb}\` needs the tools and the model: name them by --config or --tools.`
  throw new ToolturnError('option_invalid', needed, { option: '--config' })
}

/**
 * The options that the user's module gives; none where it was not named.
 *
 * @throws ToolturnError `option_invalid`, or the error that the module threw where it is one of ours
 */
export async function loadConfig({ config, tools }: ConfigFlags): Promise<HostOptions> {
  if (config !== undefined) return optionsOf(config, await loadModule('--config', config))
  if (tools !== undefined) return toolsOf(tools, await loadModule('--tools', tools))
  return {}
}

type Loaded = { readonly [name: string]: unknown }

/**
 * @param option what it was given as
 * @throws ToolturnError `option_invalid`, or the error that the module threw where it is one of ours
 */
export async function loadModule(option: string, path: string): Promise<Loaded> {
  const file = resolve(path)
  if (!existsSync(file)) throw new ToolturnError('option_invalid', `The module ${path} is not there.`, { option, path })
  try {
    return (await import(pathToFileURL(file).href)) as Loaded
  } catch (error) {
    if (error instanceof Error && error.name === 'ToolturnError') throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new ToolturnError('option_invalid', `The module ${path} could not be loaded: ${why}`, { option, path }, error)
  }
}

function optionsOf(path: string, loaded: Loaded): HostOptions {
  const options = loaded['default']
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw wrongExport('--config', path, 'the options of createRuntime: { tools, model, … }')
  }
  if ('tools' in options && !areTools(options.tools)) throw wrongExport('--config', path, 'options whose tools are a list of tool({ … })')
  return options
}

function toolsOf(path: string, { default: tools, model }: Loaded): HostOptions {
  if (!areTools(tools)) throw wrongExport('--tools', path, 'a list of tools: [tool({ … }), …]')
  return model === undefined ? { tools } : { tools, model: model as Model }
}

/** Made by `tool` or `mcp`, in whichever copy of this package; what was only written like its options has no descriptor and no list. */
function areTools(value: unknown): value is readonly (Tool | ToolSource)[] {
  return Array.isArray(value) && value.every(each => typeof each === 'object' && each !== null && ('descriptor' in each || 'list' in each))
}

function wrongExport(option: string, path: string, expected: string): ToolturnError {
  return new ToolturnError('option_invalid', `The default export of ${path} is to be ${expected}.`, { option, path, expected })
}
