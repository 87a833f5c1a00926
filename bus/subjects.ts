// Where things go on the bus: one subject space for what was committed, one for replays, one for progress.

import { ToolturnError } from '../machines/errors.ts'
import { TOKEN } from '../machines/ids.ts'

/** First token of a subject. `turns` and `replays` are kept by the broker, `progress` never is. */
export type Space = 'turns' | 'replays' | 'progress'

const TYPE = /^[a-z]+(\.[a-z-]+)+$/

/**
 * `turns.<tenant>.<turnId>.<type>`: the type is the last tokens, so `turns.*.*.call.recorded` is every recorded call.
 *
 * @throws ToolturnError `option_invalid` when a part is not made of subject tokens
 */
export function eventSubject(space: 'turns' | 'replays', event: { tenant: string; turnId: string; type: string }): string {
  if (!TYPE.test(event.type)) throw invalid('type', event.type)
  return `${space}.${token('tenant', event.tenant)}.${token('turnId', event.turnId)}.${event.type}`
}

/**
 * `progress.<tenant>.<turnId>`: unrecorded deltas of one turn.
 *
 * @throws ToolturnError `option_invalid` when a part is no subject token
 */
export function progressSubject(tenant: string, turnId: string): string {
  return `progress.${token('tenant', tenant)}.${token('turnId', turnId)}`
}

/**
 * What a consumer of committed events asks for: all of one tenant, or all.
 *
 * @throws ToolturnError `option_invalid` when the tenant is no subject token
 */
export function turnsFilter(tenant?: string): string {
  return tenant === undefined ? 'turns.>' : `turns.${token('tenant', tenant)}.>`
}

/** Whether a subject is one that a filter names; `*` stands for one token, a last `>` for one or more. */
export function subjectMatches(filter: string, subject: string): boolean {
  const wanted = filter.split('.')
  const given = subject.split('.')
  for (const [index, part] of wanted.entries()) {
    if (part === '>') return given.length > index
    if ((part !== '*' && part !== given[index]) || given[index] === undefined) return false
  }
  return wanted.length === given.length
}

/** The space of a subject or filter. @throws ToolturnError `option_invalid` when it is in none */
export function spaceOf(subject: string): Space {
  const first = subject.split('.', 1)[0]
  if (first === 'turns' || first === 'replays' || first === 'progress') return first
  throw invalid('subject', subject)
}

/** The space of what a broker keeps. @throws ToolturnError `option_invalid` for progress, which it never does */
export function keptSpaceOf(subject: string): 'turns' | 'replays' {
  const space = spaceOf(subject)
  if (space !== 'progress') return space
  throw new ToolturnError('option_invalid', 'Progress is never kept: it has no publish and no durable consumer.', { option: 'subject' })
}

/** @throws ToolturnError `option_invalid` when a broker could not take the name of a durable consumer */
export function consumerName(name: string): string {
  if (TOKEN.test(name)) return name
  throw new ToolturnError('option_invalid', 'The name of a consumer is 1 to 64 letters, digits, - and _.', { option: 'name' })
}

function token(name: string, text: string): string {
  if (!TOKEN.test(text)) throw invalid(name, text)
  return text
}

function invalid(option: string, value: string): ToolturnError {
  return new ToolturnError('option_invalid', `The ${option} does not fit a subject of the bus.`, { option, length: value.length })
}
