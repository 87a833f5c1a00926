// `events`: the stream of one turn, as it is now or as it goes on.

import type { Event } from '../../../machines/events.ts'
import { withConfig, type ConfigFlags } from '../config.ts'
import { eventWords } from '../event-words.ts'
import { EXIT } from '../exit.ts'
import { history } from '../history.ts'
import { withRuntime } from '../open.ts'
import type { Output } from '../output.ts'
import { count } from '../reading.ts'
import { safeLine } from '../text.ts'
import { command, verb, type Verb } from '../verb.ts'
import { withWhere, type WhereFlags } from '../where.ts'

type Flags = WhereFlags & ConfigFlags & { readonly follow?: boolean; readonly after?: number }

const words = command('events', 'Print the stream of a turn', 'events 0190a0b0-0000-7000-8000-000000000000 --follow --json')
  .argument('<turn>', 'its id')
  .option('--follow', 'go on until the turn ends, or until Ctrl-C')
  .option('--after <version>', 'only later versions', count)

export const events: Verb = verb<Flags>(withConfig(withWhere(words)), async ({ words: [turnId = ''], flags, out }) =>
  withRuntime(flags, 'nothing', out, async ({ runtime, tenant }) => {
    const { follow = false, after = 0 } = flags
    const turn = await runtime.get(turnId, { tenant })
    const stream = follow ? turn.events({ after, signal: interrupted() }) : history(runtime, turn, after)
    for await (const event of stream) await out.answer(event, () => eventLine(event, out))
    return EXIT.done
  }),
)

/** Aborted at Ctrl-C: the command then ends as if the turn had. */
function interrupted(): AbortSignal {
  const controller = new AbortController()
  process.once('SIGINT', () => controller.abort())
  return controller.signal
}

const TYPE_WIDTH = 24

function eventLine(event: Event, { ink }: Output): string {
  const place = `${String(event.version).padStart(4)}  ${event.time}`
  return `${ink('dim', place)}  ${ink('bold', event.type.padEnd(TYPE_WIDTH))}  ${safeLine(eventWords(event))}`.trimEnd()
}
