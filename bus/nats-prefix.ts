// The names that one installation has on a shared broker. Everything inside speaks of `turns.…`; the prefix is put on at the wire.

import { ToolturnError } from '../machines/errors.ts'
import { spaceOf, type Space } from './subjects.ts'

export type BrokerNames = {
  /** First token on the broker, by space. */
  readonly first: { readonly [space in Space]: string }
  /** Streams that keep messages. Replays have one of their own: in one stream a replay would be a duplicate of its original. */
  readonly stream: { readonly turns: string; readonly replays: string }
  /** The subject or filter as the broker knows it. */
  readonly outward: (subject: string) => string
  /** The subject as the rest of the program knows it. */
  readonly inward: (subject: string) => string
}

const PREFIX = /^[a-z][a-z0-9_-]{0,31}$/
const RESERVED = /^(replays|progress)$|-(replays|progress)$/

/**
 * With the prefix `turns`: subjects `turns.…`, `replays.…`, `progress.…`, streams `TURNS` and `REPLAYS`.
 * With another one, say `shop`: subjects `shop.…`, `shop-replays.…`, `shop-progress.…`, streams `SHOP` and `SHOP-REPLAYS`.
 * Prefixes are lower case and none ends like another one's spaces, so two installations never share a name.
 *
 * @throws ToolturnError `option_invalid`
 */
export function brokerNames(prefix: string): BrokerNames {
  if (!PREFIX.test(prefix) || RESERVED.test(prefix)) {
    const wanted = 'lower-case letters, digits, - and _, from a letter on, at most 32, and neither `replays` nor `progress` at its end'
    throw new ToolturnError('option_invalid', `The prefix of the bus is not one: ${wanted}.`, { option: 'prefix' })
  }
  const spaced = (space: Space) => (prefix === 'turns' ? space : `${prefix}-${space}`)
  const first = { turns: prefix, replays: spaced('replays'), progress: spaced('progress') }
  const spaces = new Map(Object.entries(first).map(([space, name]) => [name, space]))
  return {
    first,
    stream: { turns: first.turns.toUpperCase(), replays: first.replays.toUpperCase() },
    outward: subject => {
      const space = spaceOf(subject)
      return first[space] + subject.slice(space.length)
    },
    inward: subject => {
      const name = subject.split('.', 1)[0] ?? ''
      const space = spaces.get(name)
      return space === undefined ? subject : space + subject.slice(name.length)
    },
  }
}
