// One verb of the command line: its words, and what it does with them.

import { Command } from 'commander'
import type { ExitCode } from './exit.ts'
import type { Output } from './output.ts'

/** What a verb is run with: the words that stand by position, the options, and where to print. */
export type Call<F> = { readonly words: readonly string[]; readonly flags: F; readonly out: Output }

export type Verb = { readonly command: Command; readonly run: (out: Output) => Promise<ExitCode> }

/** @param command declares arguments and options; its flags are read into an `F` */
export function verb<F>(command: Command, run: (call: Call<F>) => Promise<ExitCode>): Verb {
  return { command, run: out => run({ words: command.args, flags: command.opts<F & Record<string, unknown>>(), out }) }
}

/** A command with its one line of help and an example, in which the name of the program stands by itself. */
export function command(name: string, does: string, example: string): Command {
  return new Command(name).description(does).addHelpText('after', `\nExample:\n  $ toolturn ${example}`)
}
