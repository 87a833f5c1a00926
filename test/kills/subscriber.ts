// The process of a subscriber: listens until its parent is gone, and tells what it was told.

import { link } from '../../adapters/scenario/link.ts'
import { listenAt, type Listener } from './listener.ts'
import type { Address } from './room.ts'

let listener: Listener | undefined

const parent = link(
  frame => void process.send?.(frame),
  () => ({
    begin: async (address: Address) => {
      listener = await listenAt(address, new AsyncDisposableStack())
    },
    told: (turnIds: readonly string[]) => turnIds.map(turnId => listener?.(turnId)),
  }),
)

process.on('message', parent.receive)
process.on('disconnect', () => process.exit())
