// The last look before anything leaves for a provider. Every adapter sends through it, so that what is never sent is so in one place.

import { ToolturnError } from '../../machines/errors.ts'
import type { AskContext } from '../../machines/ports/model.ts'

/**
 * Does the sending, unless the ask belongs to a replay (F2) or was aborted.
 *
 * @throws ToolturnError `replay_send_suppressed`, `runtime_closed`; nothing was sent
 */
export async function send<Answer>({ turnId, purpose, signal }: AskContext, request: () => Promise<Answer>): Promise<Answer> {
  if (purpose !== 'live')
    throw new ToolturnError('replay_send_suppressed', 'A replay reached the sending of a model request; nothing was sent.', { turnId })
  if (signal.aborted) throw new ToolturnError('runtime_closed', 'The ask was aborted before it was sent.', { turnId })
  return request()
}
