// From what a tool did to what is recorded of it: normalised, checked, redacted, bounded.

import { recordWhole } from '../blobs.ts'
import type { FactOf } from '../events.ts'
import type { RecordedResult } from '../events/shapes.ts'
import { stopAndExplainText, stoppedToolText } from '../repair.ts'
import { boundResult, checkOutput, normaliseResult, resultOfThrown } from '../result.ts'
import { redactResult } from '../redaction.ts'
import type { CallState, TurnState } from '../state.ts'
import { meet } from '../remember.ts'
import type { ContentTrust, Tool, ToolResult } from '../tool.ts'
import type { Actor, Running } from './actor.ts'
import { commit } from './commit.ts'

/** How one try ended: with the value returned or thrown, or without one. */
export type TryEnd = { readonly ended: 'returned' | 'thrown' | 'timeout' | 'aborted'; readonly value: unknown }
export type RunEnd = TryEnd & { readonly tries: number }

/** The record of a call. */
export async function recordedFact(
  actor: Actor,
  call: CallState,
  running: Running,
  tool: Tool,
  end: RunEnd,
): Promise<FactOf<'call.recorded'>> {
  return {
    type: 'call.recorded',
    data: {
      ordinal: running.ordinal,
      tool: call.item.name,
      dispatch: running.dispatch,
      tries: end.tries,
      ended: end.ended,
      ...(await recordResult(actor, call, tool, end)),
      contentTrust: trustIn(actor.state, call, tool),
    },
  }
}

/** A newer tool never raises the trust that was frozen when the turn opened. */
function trustIn(state: TurnState, call: CallState, tool: Tool): ContentTrust {
  return meet(state.catalog.get(call.item.name)?.contentTrust ?? 'untrusted', tool.descriptor.contentTrust)
}

/**
 * What is recorded of a result: redacted before it is bounded, so no cut leaves half a secret; whole in the blob store where it is too
 * large.
 */
export async function recordResult(actor: Actor, call: CallState, tool: Tool, end: TryEnd): Promise<RecordedResult> {
  const result = withHint(
    actor.state,
    call,
    resultOf(tool, end, text => actor.ports.redactor.text(text).text),
  )
  const redacted = redactResult(actor.ports.redactor, tool.descriptor, result)
  return recordWhole(actor.ports, actor.state, call, redacted)
}

function resultOf(tool: Tool, end: TryEnd, redact: (text: string) => string): ToolResult {
  switch (end.ended) {
    case 'returned':
      return checkOutput(normaliseResult(end.value, redact), tool.descriptor.outputSchema)
    case 'thrown':
      return resultOfThrown(end.value, redact)
    case 'timeout':
    case 'aborted':
      return hostError(stoppedToolText(end.ended, tool.descriptor.replayPolicy === 'read-only'))
  }
}

export function hostError(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

/** From so many failures of one tool in a row on, the model is told to stop and explain (B9). */
function withHint(state: TurnState, call: CallState, result: ToolResult): ToolResult {
  if (result.isError !== true) return result
  const failures = failuresInARow(state, call) + 1
  if (failures < state.opened.limits.repeats) return result
  return { ...result, content: [...result.content, { type: 'text', text: stopAndExplainText(failures) }] }
}

function failuresInARow(state: TurnState, call: CallState): number {
  const earlier = [...state.calls.values()].filter(other => other.item.name === call.item.name && other.recorded !== null)
  const lastGood = earlier.findLastIndex(other => other.recorded?.result.isError !== true)
  return earlier.length - 1 - lastGood
}

/** Records a completion that came after its call was settled otherwise: the digest of what would have been recorded, no outcome. */
export async function recordLate(actor: Actor, running: Running, tool: Tool, end: TryEnd): Promise<void> {
  const { redactor } = actor.ports
  const result = resultOf(tool, end, text => redactor.text(text).text)
  const { digest, bytes } = boundResult(redactResult(redactor, tool.descriptor, result), 0)
  const { ordinal, dispatch } = running
  await commit(actor, draft =>
    draft.put({ type: 'call.late', data: { ordinal, dispatch, ended: end.ended === 'returned' ? 'returned' : 'thrown', digest, bytes } }),
  )
}
