// Every text that the host says to the model about a call or an output that did not go through. Written by the host from
// reasons, schemas and catalogs: nothing that a model, a tool or a person wrote stands in any of them (A4, B7).

import { canonicalJson, type JsonObject } from './json.ts'
import { closeNames } from './names.ts'
import { MAX_PROBLEMS, type Problem } from './schemas/problem.ts'
import { cutText } from './text.ts'

const MAX_TEXT = 2_000
const MAX_NAMES = 20

function bounded(text: string): string {
  return cutText(text, MAX_TEXT)
}

function quoted(names: readonly string[]): string {
  return names.map(name => JSON.stringify(name)).join(', ')
}

// Completion and name

export function truncatedText(): string {
  return 'The output limit cut this response off, so none of its calls ran. Send the call again, whole, with shorter arguments.'
}

export function refusedRoundText(): string {
  return 'The response was refused, so this call did not run.'
}

/** @param written what the model wrote; it only picks the close names and is never repeated */
export function unknownNameText(written: string, catalog: readonly string[]): string {
  const said = 'There is no tool of exactly this name, so the call did not run.'
  const close = closeNames(written, catalog)
  if (close.length > 0) return bounded(`${said} Close names: ${quoted(close)}. Call one of them by its exact name if it is what you need.`)
  if (catalog.length === 0) return `${said} No tools are offered; answer without one.`
  if (catalog.length > MAX_NAMES) return `${said} Use one of the offered tools by its exact name.`
  return bounded(`${said} The offered tools are: ${quoted(catalog)}.`)
}

export function quarantinedText(): string {
  return 'This tool is out of order: its schema cannot be used. Do not call it again; go on without it.'
}

// Arguments and output

/** One line for each problem, at most MAX_PROBLEMS. */
export function problemLines(problems: readonly Problem[]): string {
  const lines = problems.map(({ path, expected }) => `- ${path === '' ? 'the value itself' : path}: expected ${expected}`)
  return lines.length === 0 ? '- the value itself: expected an object' : lines.slice(0, MAX_PROBLEMS).join('\n')
}

export function schemaProblemText(problems: readonly Problem[]): string {
  const said = 'The arguments do not fit the schema of the tool, so the call did not run. Mend these and call again:'
  return bounded(`${said}\n${problemLines(problems)}`)
}

/** @param reason a host-written sentence, as `readArguments` gives it */
export function unreadableArgumentsText(reason: string): string {
  return bounded(`The arguments could not be read, so the call did not run. ${reason} Send one JSON object.`)
}

export function outputProblemText(problems: readonly Problem[]): string {
  const said = 'The output does not fit the requested schema. Mend these and send the whole JSON again, and nothing else:'
  return bounded(`${said}\n${problemLines(problems)}`)
}

/** @param reason a host-written sentence, as `readJson` gives it */
export function outputNotJsonText(reason: string): string {
  return bounded(`The output could not be read. ${reason} Send one JSON value that fits the requested schema, and nothing else.`)
}

// Authorization and redaction

export type RefusedReason = 'scopes' | 'nobody-to-ask' | 'policy' | 'nobody-may-approve' | 'revoked' | 'schema-changed'

export function authorizationText(reason: RefusedReason): string {
  switch (reason) {
    case 'scopes':
      return 'Not permitted for the party this turn acts for. Do not call it again; go on without it, or say what you cannot do.'
    case 'nobody-to-ask':
      return 'There is no person to ask in this turn. Go on with what is known, and say what you assumed.'
    case 'policy':
      return 'The policy of the host does not permit this call. Do not repeat it; go on without it, or say what you cannot do.'
    case 'nobody-may-approve':
      return 'This call needs the approval of a person, and nobody here can give it. Do not repeat it; say what you cannot do.'
    case 'revoked':
      return 'The tool was taken back before the call could run. Do not call it again.'
    case 'schema-changed':
      return 'The tool changed before the call could run, so it did not run. Do not repeat it in this turn.'
  }
}

export function cannotSealText(): string {
  return 'This call holds a secret and would have to wait for a person, and a secret cannot be kept here meanwhile. It did not run; do not repeat it.'
}

export function lostArgumentsText(): string {
  return 'The secret arguments of this call were not kept over a restart, so it did not run. Call it again if it is still needed.'
}

export function deniedText(): string {
  return 'A person denied this call. Do not repeat it; go on without it, or ask what is wanted instead.'
}

export function expiredText(): string {
  return 'Nobody approved this call in time, so it did not run. Do not repeat it; say that it still needs an approval.'
}

// Limits

export type RepeatReason = 'same-round' | 'executed' | 'denied' | 'errors' | 'same-result'

/** @param of ordinal of the call that this one repeats */
export function suppressedText(reason: RepeatReason, of: number): string {
  const earlier = `call ${of} of this turn`
  switch (reason) {
    case 'same-round':
      return `The same call stands earlier in this response (${earlier}) and runs once. Use its result.`
    case 'executed':
      return `The same call was already carried out (${earlier}), so it did not run again. Use that result; change the arguments if something else is meant.`
    case 'denied':
      return `A person denied the same call before (${earlier}), so nobody was asked again. Do not repeat it; go on without it, or ask what is wanted.`
    case 'errors':
      return `The same call failed before and again (last ${earlier}), so it did not run. Change the arguments, use another tool, or say what went wrong.`
    case 'same-result':
      return `The same call gave the same result again and again (last ${earlier}), so it did not run. Use that result and go on.`
  }
}

export function refusedAskText(): string {
  return 'No further questions can be asked in this turn. Go on with what is known, and say what you assumed; another question ends the turn.'
}

export type EndReason = 'calls-per-round' | 'calls-per-turn' | 'rounds' | 'clarifications' | 'after-ask' | 'turn-ended' | 'retried'

export function endedText(reason: EndReason): string {
  switch (reason) {
    case 'calls-per-round':
      return 'Too many calls in one response: this one did not run. Send it again in a later response, with fewer beside it.'
    case 'calls-per-turn':
      return 'The turn has used up its calls, so this one did not run.'
    case 'rounds':
      return 'The turn has used up its rounds, so this call did not run.'
    case 'clarifications':
      return 'The turn has used up its questions, so this one was not asked.'
    case 'after-ask':
      return 'A question to the person stands before this call, so it did not run. Call it again if the answer still asks for it.'
    case 'turn-ended':
      return 'The turn ended before this call ran.'
    case 'retried':
      return 'The turn was started over before this call ran.'
  }
}

export function notRunText(): string {
  return 'This call did not run.'
}

// Results of tools that gave none, and hints behind those that failed

/** @param ended what stopped the tool: its time ran out, or the turn was cancelled */
export function stoppedToolText(ended: 'timeout' | 'aborted', readOnly: boolean): string {
  const what = ended === 'timeout' ? 'The tool did not answer in time and was stopped.' : 'The tool was stopped before it answered.'
  if (readOnly) return `${what} It only reads, so it may be called again.`
  return `${what} Its effect is unknown: it may have happened or not. Find out before you call it again.`
}

/** The tool wanted to know something of the person, and nobody may be asked, or not again (E1). */
export function unaskedText(): string {
  return 'The tool wants to ask the person something before it goes on, and nobody could be asked. It did not do what it was called for; go on without it.'
}

/** From `limits.repeats` failures of one tool in a row on, whatever its arguments (B9). */
export function stopAndExplainText(failures: number): string {
  return `This tool has now failed ${failures} times in a row. Stop calling it and explain what you tried and what went wrong.`
}

// Instructions in the system prompt

/** With an ask tool in the catalog (E2). */
export function askInstruction(ask: string): string {
  return (
    `Before you call a tool, check that every required parameter is known or can be inferred from the conversation. If one is not, do not guess: ` +
    `ask with the tool ${JSON.stringify(ask)}, alone, and wait for the answer.`
  )
}

/** Where the provider cannot hold the schema itself (A1). */
export function outputInstruction(schema: JsonObject | boolean): string {
  return `Answer with one JSON value that fits this JSON Schema, and with nothing before or behind it:\n${canonicalJson(schema)}`
}
