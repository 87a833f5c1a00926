// All verbs put together, and the one place where a command begins and ends.

import { Command, CommanderError, Option } from 'commander'
import { EXIT, reportJson, reportOf, reportText, type ExitCode } from './exit.ts'
import { ReaderGoneError, terminalOutput, type Output } from './output.ts'
import { safeText } from './text.ts'
import type { Verb } from './verb.ts'
import { answer } from './verbs/answer.ts'
import { approvals } from './verbs/approvals.ts'
import { approve, deny } from './verbs/approve.ts'
import { cancel } from './verbs/cancel.ts'
import { demo } from './verbs/demo.ts'
import { doctor } from './verbs/doctor.ts'
import { events } from './verbs/events.ts'
import { explain } from './verbs/explain.ts'
import { exportFile } from './verbs/export.ts'
import { fork } from './verbs/fork.ts'
import { graph } from './verbs/graph.ts'
import { lint, lintTools, lintTranscript } from './verbs/lint.ts'
import { list } from './verbs/list.ts'
import { migrate } from './verbs/migrate.ts'
import { recover } from './verbs/recover.ts'
import { replay } from './verbs/replay.ts'
import { retry } from './verbs/retry.ts'
import { scenarioRun } from './verbs/scenario.ts'
import { settle } from './verbs/settle.ts'
import { show } from './verbs/show.ts'
import { spawn } from './verbs/spawn.ts'
import { verify } from './verbs/verify.ts'
import { worker } from './verbs/worker.ts'

const VERBS: readonly Verb[] = [
  demo,
  migrate,
  worker,
  spawn,
  list,
  show,
  events,
  approvals,
  approve,
  deny,
  answer,
  cancel,
  retry,
  settle,
  replay,
  verify,
  exportFile,
  fork,
  recover,
  graph,
  explain,
  doctor,
]

/** What commander throws after it printed what was asked for, or the help of a command that lacks its verb. */
const HELPED = ['commander.helpDisplayed', 'commander.help', 'commander.version']

/** Runs one command. Whatever it throws is printed as one clear block. @returns the exit code */
export async function runCommand(words: readonly string[], version: string): Promise<ExitCode> {
  const out = terminalOutput(words.includes('--json'))
  try {
    return await perform(words, version, out)
  } catch (error) {
    if (error instanceof ReaderGoneError) return EXIT.done
    if (error instanceof CommanderError && HELPED.includes(error.code)) return error.exitCode === 0 ? EXIT.done : EXIT.usage
    const report = reportOf(error)
    const withStack = words.includes('--stack')
    out.note(out.json ? reportJson(report, withStack) : reportText(report, withStack))
    return report.exit
  }
}

async function perform(words: readonly string[], version: string, out: Output): Promise<ExitCode> {
  let code: ExitCode = EXIT.done
  const scenario = new Command('scenario').description('Run scenario files')
  const program = new Command('toolturn')
    .description('Drives the tool turns of language models as event-sourced actors.')
    .version(version)
    .addHelpText('after', '\nExample:\n  $ toolturn demo --yes')
  for (const each of VERBS) program.addCommand(each.command)
  program.addCommand(scenario.addCommand(scenarioRun.command)).addCommand(lint)
  for (const each of [...VERBS, scenarioRun, lintTranscript, lintTools]) {
    finish(each.command).action(async () => {
      code = await each.run(out)
    })
  }
  quiet(program)
  if (words.length === 0) {
    program.outputHelp({ error: true })
    return EXIT.usage
  }
  await program.parseAsync([...words], { from: 'user' })
  return code
}

/** What every verb has. The answer's own `--json` takes a value. */
function finish(command: Command): Command {
  if (!command.options.some(option => option.long === '--json')) command.option('--json', 'print JSON, and nothing else on stdout')
  return command.addOption(new Option('--stack', 'print the stack of an error').hideHelp())
}

/** Errors are thrown and printed in one place; nothing here ends the process. */
function quiet(command: Command): void {
  command.exitOverride().configureOutput({ outputError: () => undefined, writeOut: text => process.stdout.write(safeText(text)) })
  for (const child of command.commands) quiet(child)
}
