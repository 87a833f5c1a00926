// What a bus owes, for every implementation: one suite, by kind.

import { consuming } from './bus-suite-consume.ts'
import { progressing } from './bus-suite-progress.ts'
import { publishing } from './bus-suite-publish.ts'
import { redelivering } from './bus-suite-redeliver.ts'
import type { Make } from './stage.ts'

export function busSuite(make: Make): void {
  publishing(make)
  consuming(make)
  redelivering(make)
  progressing(make)
}
