// What has to be there on the broker: a stream for committed events, one for replays once there are any, and the durable consumers.

import { AckPolicy, DeliverPolicy, DiscardPolicy, JetStreamApiError, RetentionPolicy, StorageType } from '@nats-io/jetstream'
import type { JetStreamManager } from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import type { BrokerNames } from './nats-prefix.ts'
import { subjectMatches } from './subjects.ts'

const DAY_MS = 86_400_000
/** A second copy of a message is recognised for so long. Later ones are the consumer's to drop. */
const DUPLICATES_MS = 120_000
/** As many messages of one consumer may be out unanswered, over all its readers. */
const MOST_OUT = 512

/** Bounds of a stream that is made here. An operator may change them; a stream that is there keeps its own. */
const BOUNDS = {
  turns: { max_age: nanos(7 * DAY_MS), max_msgs: 10_000_000 },
  replays: { max_age: nanos(DAY_MS), max_msgs: 1_000_000 },
}

/** Makes the stream of a space where it is absent, and adds our subjects to one that lacks them. Changes nothing else. */
export async function ensureStream({ streams }: JetStreamManager, names: BrokerNames, space: 'turns' | 'replays'): Promise<void> {
  const name = names.stream[space]
  const subject = `${names.first[space]}.>`
  const known = await orNull(streams.info(name))
  if (known === null) {
    await streams.add({
      ...BOUNDS[space],
      name,
      subjects: [subject],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      duplicate_window: nanos(DUPLICATES_MS),
    })
  } else if (!known.config.subjects.includes(subject)) {
    // Subjects of one stream may not overlap: ours takes the place of those inside it.
    const others = known.config.subjects.filter(each => !subjectMatches(subject, each))
    await streams.update(name, { subjects: [...others, subject] })
  }
}

/** Where a durable consumer that is made now begins. A time: the broker was away when it was asked for, and that was then. */
export type Beginning = 'new' | 'start' | Date

export type Durable = {
  readonly stream: string
  readonly name: string
  readonly subject: string
  readonly ackWaitMs: number
}

/** Makes the consumer where it is absent; one that is there keeps its place and takes over filter and ack wait. */
export async function ensureDurable(manager: JetStreamManager, durable: Durable, beginning: Beginning): Promise<void> {
  const { stream, name, subject, ackWaitMs } = durable
  const known = await orNull(manager.consumers.info(stream, name))
  const wanted = { filter_subject: subject, ack_wait: nanos(ackWaitMs) }
  if (known === null) {
    await manager.consumers.add(stream, {
      ...wanted,
      ...delivery(beginning),
      durable_name: name,
      ack_policy: AckPolicy.Explicit,
      max_ack_pending: MOST_OUT,
    })
  } else if (known.config.filter_subject !== subject || known.config.ack_wait !== wanted.ack_wait) {
    await manager.consumers.update(stream, name, wanted)
  }
}

function delivery(beginning: Beginning) {
  if (beginning === 'start') return { deliver_policy: DeliverPolicy.All }
  if (beginning === 'new') return { deliver_policy: DeliverPolicy.New }
  return { deliver_policy: DeliverPolicy.StartTime, opt_start_time: beginning.toISOString() }
}

/** Null when what was asked about is not there. */
async function orNull<T>(info: Promise<T>): Promise<T | null> {
  try {
    return await info
  } catch (error) {
    if (error instanceof JetStreamApiError && error.status === 404) return null
    throw error
  }
}
