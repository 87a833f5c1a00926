// Every error the runtime can give: its stable code, what happened, whose move it is, and how to mend it.
// `toolturn explain <code>` prints a row of this table; scripts rely on the codes.

/** Who acts next. */
export type Mover = 'model' | 'person' | 'caller' | 'operator' | 'nobody'

export type ErrorPage = {
  /** What happened, in a sentence. */
  readonly what: string
  readonly whoseMove: Mover
  /** How to mend it, and what was kept. */
  readonly mend: string
}

const pages = {
  tool_outcome_unknown: {
    what: 'A tool was started and its worker died before the result was recorded, and the tool may not run again to find out.',
    whoseMove: 'operator',
    mend: 'Look at the place where the effect happens, then settle the call with `settle <turn> <ordinal> --happened <file>` or `--did-not-happen`; the same attempt goes on. `retry --despite-doubt` starts over and may repeat the effect. A tool with `reconcile` settles this by itself.',
  },
  round_outcome_unknown: {
    what: 'A round that let the provider run tools with effects was asked for, and its worker died before the answer was recorded.',
    whoseMove: 'operator',
    mend: 'The round is not asked again, since its effects may have happened at the provider. Look there, then `retry` the turn.',
  },
  tool_record_failed: {
    what: 'A tool that is not read-only ran, and the store refused the record of its result.',
    whoseMove: 'operator',
    mend: 'The tool did run. Mend the store, then settle the call with `settle`, or `retry --despite-doubt`.',
  },
  replay_source_missing: {
    what: 'A recorded round or result that is needed is not there whole: deleted, erased, or over the record size.',
    whoseMove: 'operator',
    mend: 'Nothing was executed. Restore the record from an export or a backup; raise `limits.recordBytes` or configure a blob store for later turns.',
  },
  replay_diverged: {
    what: 'The code of today would ask the model something else than what was recorded.',
    whoseMove: 'caller',
    mend: 'Nothing was executed. The details name the round and both digests; replay with the version of the code that ran the turn, or accept the difference.',
  },
  model_output_truncated: {
    what: 'The model was cut off again and again; nothing of a truncated round runs.',
    whoseMove: 'caller',
    mend: 'Raise the output budget of the model or `limits.truncationRetries`, or ask for less at once, and `retry`.',
  },
  output_invalid: {
    what: 'The model did not give output that fits the requested schema within `limits.schemaRepairs`.',
    whoseMove: 'caller',
    mend: 'Simplify the schema, raise `limits.schemaRepairs`, or use a model with enforced output, and `retry`.',
  },
  model_unavailable: {
    what: 'The model could not be reached, or failed, as often as `limits.modelTries` allows.',
    whoseMove: 'operator',
    mend: 'Every failed try is in the log. `retry` the turn when the provider is well again.',
  },
  model_request_rejected: {
    what: 'The provider rejected the request and would reject it again.',
    whoseMove: 'caller',
    mend: 'The status is in the details. Mend the credentials, the model name or the request, and `retry`.',
  },
  model_context_exceeded: {
    what: 'The provider rejected the request as longer than its context.',
    whoseMove: 'caller',
    mend: 'Shorten the inputs, offer fewer tools or record smaller results, and `retry`.',
  },
  model_tools_unsupported: {
    what: 'The model or provider cannot call tools, and the turn offers some. Nothing was sent.',
    whoseMove: 'caller',
    mend: 'Choose a model that calls tools, or spawn the turn with `tools: []`.',
  },
  model_protocol_violation: {
    what: 'The response of the model breaks a rule of its own protocol, or holds an item that may not be executed by the provider.',
    whoseMove: 'operator',
    mend: 'Nothing of the round ran. The details name what was wrong; check the adapter and the provider, and `retry`.',
  },
  mock_program_exhausted: {
    what: 'The scripted model was asked more often than it has rounds.',
    whoseMove: 'caller',
    mend: 'Add a round to the script, or set `whenExhausted` to `repeat-last`.',
  },
  illegal_history: {
    what: 'The stream of a turn holds an event that may not follow the ones before it.',
    whoseMove: 'operator',
    mend: 'The turn, version and event are in the details; nothing was appended. Run `verify` and compare with an export or a backup.',
  },
  history_broken: {
    what: 'The hash chain of a stream does not hold: an event was changed, is missing, or was put in.',
    whoseMove: 'operator',
    mend: 'The first version that does not fit is in the details. Compare with an export or a backup.',
  },
  version_conflict: {
    what: 'Somebody else appended to the turn meanwhile, again and again.',
    whoseMove: 'caller',
    mend: 'Nothing was written. Read the turn and decide again.',
  },
  worker_fenced: {
    what: 'Another worker owns the turn now; this one stopped and wrote nothing.',
    whoseMove: 'nobody',
    mend: 'The new owner goes on. Follow the turn by its events.',
  },
  approval_not_found: {
    what: 'There is no approval of this id in this tenant.',
    whoseMove: 'caller',
    mend: 'List the open ones with `approvals`.',
  },
  approval_already_resolved: {
    what: 'The approval was resolved before; the first decision stands.',
    whoseMove: 'nobody',
    mend: 'The stored decision is in the details.',
  },
  approval_expired: {
    what: 'The approval was past its deadline by the clock of the store.',
    whoseMove: 'nobody',
    mend: 'The call was refused and the model was told so. A later turn may ask again.',
  },
  approval_not_yours: {
    what: 'This party may not resolve this hold.',
    whoseMove: 'person',
    mend: 'On an untrusted turn only the acting person may; on a trusted one also those the policy lists. The hold is as it was.',
  },
  approval_channel_refused: {
    what: 'The decision came by a lane that may not resolve this hold: a link, a delegate, or MCP.',
    whoseMove: 'person',
    mend: 'Decide in the interactive application. The hold is as it was.',
  },
  decision_invalid: {
    what: 'The decision is none of the exact words, or the edited arguments do not fit the tool.',
    whoseMove: 'caller',
    mend: 'The hold is as it was. The details say what was expected.',
  },
  turn_not_found: {
    what: 'There is no turn of this id in this tenant.',
    whoseMove: 'caller',
    mend: 'Check the id and the tenant; `list` shows what there is.',
  },
  turn_parked: {
    what: 'Workers took the turn several times and none of them appended anything; it is parked, and no worker takes it by itself.',
    whoseMove: 'operator',
    mend: 'The log of the workers says what failed. Mend that, then `recover <turn>` takes it up again; nothing that was recorded is lost.',
  },
  turn_not_open: {
    what: 'The turn is not waiting for this: it has ended, is being cancelled, or asks nothing.',
    whoseMove: 'nobody',
    mend: 'The state is in the details. Nothing was changed.',
  },
  turn_not_retryable: {
    what: 'The turn cannot be retried: it is still open, or it ended as completed or refused, or a call of it is in doubt and the doubt was not acknowledged.',
    whoseMove: 'caller',
    mend: 'Where a call is in doubt, settle it or say `despiteDoubt`. Else spawn a new turn.',
  },
  call_not_in_doubt: {
    what: 'The call is not in doubt, so there is nothing to settle.',
    whoseMove: 'caller',
    mend: 'Nothing was changed. `show` lists the calls and their states.',
  },
  fork_refused: {
    what: 'The turn cannot be forked at this version.',
    whoseMove: 'caller',
    mend: 'Choose a version at which no call is in doubt that may not run again. Nothing was written.',
  },
  spawn_key_conflict: {
    what: 'A turn with this key exists and was opened with other content.',
    whoseMove: 'caller',
    mend: 'Use a new key for new content. The existing turn is in the details.',
  },
  store_unreachable: {
    what: 'The store could not be reached.',
    whoseMove: 'operator',
    mend: 'Check the address and the server. Nothing that was acknowledged is lost; what was not is decided again.',
  },
  store_locked: {
    what: 'Another process holds the embedded store.',
    whoseMove: 'operator',
    mend: 'One process at a time. Wait for the holder, end it, or use Postgres for several processes.',
  },
  store_busy: {
    what: 'A row of the store stayed locked for longer than the runtime waits.',
    whoseMove: 'operator',
    mend: 'Nothing was written. `doctor` names what holds the horizon; try again.',
  },
  store_replaced: {
    what: 'The cursor belongs to another database cluster, for example one from before a restore.',
    whoseMove: 'operator',
    mend: 'Start the consumer anew from the start; each version is delivered once by its turn and version.',
  },
  bus_unreachable: {
    what: 'The bus could not be reached.',
    whoseMove: 'operator',
    mend: 'Turns go on without it; what is committed is published when it is back. Check the address and the server.',
  },
  schema_unmigrated: {
    what: 'The database lacks the tables of this version.',
    whoseMove: 'operator',
    mend: 'Run `toolturn migrate`, or print the SQL with `migrate --print`.',
  },
  schema_newer: {
    what: 'The database or a stream was written by a newer version than this one.',
    whoseMove: 'operator',
    mend: 'Upgrade this process. It wrote nothing.',
  },
  tool_name_duplicate: {
    what: 'Two tools have the same name.',
    whoseMove: 'caller',
    mend: 'Names are byte-equal identities: rename one.',
  },
  replay_policy_missing: {
    what: 'A tool does not say whether its calls may run again.',
    whoseMove: 'caller',
    mend: 'Set `replayPolicy` to read-only, idempotent or at-most-once. When in doubt: at-most-once.',
  },
  option_invalid: {
    what: 'An option or argument is not of the kind that is needed here.',
    whoseMove: 'caller',
    mend: 'The details name it and say what was expected. Nothing was done.',
  },
  scenario_invalid: {
    what: 'A scenario file does not fit the format.',
    whoseMove: 'caller',
    mend: 'The details name the path in the file and the reason. The JSON Schema of the format ships with the package.',
  },
  export_invalid: {
    what: 'A file is no export of this runtime, or was changed.',
    whoseMove: 'caller',
    mend: 'The details name the line. Export it again.',
  },
  replay_send_suppressed: {
    what: 'A replay reached the sending of a model request.',
    whoseMove: 'caller',
    mend: 'Nothing was sent. A replay is served from records alone: use `replay`, which needs no model, and do not ask an adapter by hand for one.',
  },
  mcp_server_unreachable: {
    what: 'An MCP server could not be reached, or did not list its tools.',
    whoseMove: 'operator',
    mend: 'The details name the server and what failed. Look at its command or address, its credentials and its own log; a list over the bounds is not taken in part.',
  },
  runtime_closed: {
    what: 'The runtime was closed.',
    whoseMove: 'caller',
    mend: 'Nothing new is taken. Turns that were let go are driven by the next owner.',
  },
  internal: {
    what: 'A fault of the runtime itself.',
    whoseMove: 'operator',
    mend: 'Nothing that was recorded is lost. Report it with the details; run again with `--stack` for the place.',
  },
} as const satisfies Record<string, ErrorPage>

export type ErrorCode = keyof typeof pages

/** The page of every code. */
export const ERROR_PAGES: { readonly [code in ErrorCode]: ErrorPage } = pages

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(pages, text)
}

/** Facts about one error, safe to print: ids, positions, names, sizes; never what a model, a tool or a person wrote. */
export type ErrorDetails = { readonly [name: string]: unknown }

/** The one error class. Every rejected promise of the public interface carries one. */
export class ToolturnError extends Error {
  readonly code: ErrorCode
  readonly whoseMove: Mover
  readonly turnId?: string
  readonly details: ErrorDetails

  /** @param specifics one sentence about this occurrence, put behind the page's own */
  constructor(code: ErrorCode, specifics: string, details: ErrorDetails & { turnId?: string } = {}, cause?: unknown) {
    const { turnId, ...rest } = details
    super(specifics === '' ? pages[code].what : specifics, cause === undefined ? undefined : { cause })
    this.name = 'ToolturnError'
    this.code = code
    this.whoseMove = pages[code].whoseMove
    this.details = rest
    if (turnId !== undefined) this.turnId = turnId
  }
}

/** What a log line may say of an error: its code, or the name of its class. Messages may hold content. */
export function errorName(error: unknown): string {
  if (error instanceof ToolturnError) return error.code
  return error instanceof Error ? error.name : 'unknown'
}
