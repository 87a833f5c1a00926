// What `createRuntime({ bus })` holds: a bus that is not open yet.

import type { Bus, BusHealth } from '../machines/ports/bus.ts'
import type { Log } from '../machines/ports/world.ts'

export type BusSource = {
  readonly kind: BusHealth['kind']
  /** Opens the bus. A broker that is absent is no error: the bus comes up when the broker does. */
  readonly open: (log: Log) => Promise<Bus>
}
