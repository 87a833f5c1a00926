// A process that holds an embedded store, writes into it, and waits to be killed.

import { openEmbedded } from '../../store/embedded.ts'
import { newTurn } from './streams.ts'

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

process.on('message', (folder: string) => {
  const turn = newTurn()
  openEmbedded(folder, silent)
    .then(store => store.open(turn))
    .then(() => process.send?.(turn.turnId))
    .catch((error: unknown) => {
      console.error(error)
      process.exit(1)
    })
})
