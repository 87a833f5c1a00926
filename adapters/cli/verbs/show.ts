// `show`: one turn to be read: what it is, its calls, and what happened when; or its messages.

import type { Message } from '../../../machines/ports/model.ts'
import { withConfig, type ConfigFlags } from '../config.ts'
import { EXIT } from '../exit.ts'
import { history } from '../history.ts'
import { messagesText } from '../messages.ts'
import { withRuntime } from '../open.ts'
import { fromOne, given } from '../reading.ts'
import { turnJson } from '../rows.ts'
import { timelineText } from '../timeline.ts'
import { command, verb, type Verb } from '../verb.ts'
import { withWhere, type WhereFlags } from '../where.ts'
import type { Event } from '../../../machines/events.ts'
import { ToolturnError } from '../../../machines/errors.ts'

type Flags = WhereFlags & ConfigFlags & { readonly messages?: boolean; readonly round?: number }

const words = command(
  'show',
  'Show a turn: its calls and its timeline, or its messages',
  'show 0190a0b0-0000-7000-8000-000000000000 --messages --round 2',
)
  .argument('<turn>', 'its id')
  .option('--messages', 'the transcript instead: what the model is sent')
  .option('--round <n>', 'with --messages: only what the n-th round was asked with', fromOne)

export const show: Verb = verb<Flags>(withConfig(withWhere(words)), async ({ words: [turnId = ''], flags, out }) => {
  const { messages = false, round } = flags
  if (round !== undefined && !messages) throw new ToolturnError('option_invalid', '--round goes with --messages.', { option: '--round' })
  return withRuntime(flags, 'nothing', out, async ({ runtime, tenant }) => {
    if (messages) {
      const sent = await runtime.messages(turnId, { tenant, ...given({ round }) })
      await out.answer(sent, () => messagesText(sent as unknown as readonly Message[], out.ink))
      return EXIT.done
    }
    const shown = await runtime.show(turnId, { tenant })
    const events: Event[] = []
    if (!out.json) for await (const event of history(runtime, await runtime.get(turnId, { tenant }))) events.push(event)
    await out.answer({ ...shown, row: turnJson(shown.row) }, () => timelineText(shown, events, out.ink))
    return EXIT.done
  })
})
