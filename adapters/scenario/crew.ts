// Who takes part in a run: the desk, where people act, and the worker, which may be killed. Here both live in this process, and a
// kill is simulated: the runtime is stopped at its gate for good, and another one goes on.

import { silentLog } from '../log.ts'
import { openDesk, type Desk } from './desk.ts'
import type { Faults } from './faults.ts'
import { gate, type Gate } from './gate.ts'
import { memoryLedger, type Ledger } from './ledger.ts'
import { busAt, type Place } from './places.ts'
import type { Plan } from './plan.ts'
import { troubles } from './trouble.ts'
import { deskWitness, workerWitness, type Hands } from './witness.ts'
import { startWorker, type Worker } from './worker.ts'

export type Crew = {
  readonly desk: Desk
  readonly ledger: Ledger
  /** True when the worker does nothing and nothing is about to come. */
  readonly isQuiet: () => Promise<boolean>
  /** @throws what went wrong with a worker that nobody waits for */
  readonly check: () => void
}

/** @param leaving what is to be let go of in the end is put on it */
export async function crewHere(plan: Plan, source: Place['source'], faults: Faults, leaving: AsyncDisposableStack): Promise<Crew> {
  const store = await source.open(silentLog)
  leaving.defer(store.close)
  const bus = busAt(plan.address)
  const ledger = memoryLedger()
  const shifts: { readonly gate: Gate; readonly worker: Promise<Worker> }[] = []
  const enlisted: string[] = []
  const trouble = troubles()

  const hire = (): Promise<Worker> => {
    const own = gate()
    const witness = workerWitness(faults, hands)
    const worker = startWorker(plan, { store, bus, ledger, gate: own, witness, onEnlist: id => enlisted.push(id) })
    shifts.push({ gate: own, worker })
    return worker
  }
  const present = () => shifts.at(-1)
  const hands: Hands = {
    stop: () => present()?.gate.close(),
    go: () => present()?.gate.open(),
    replace: async () => {
      present()?.gate.close()
      await trouble.watch(async () => {
        for (const id of enlisted.splice(0)) await store.retire(id)
        await hire()
      })
    },
  }
  leaving.defer(async () => {
    const last = await shifts.pop()?.worker
    await last?.runtime.close({ graceMs: 0 })
    for (const { worker } of shifts) leave(worker)
  })
  await hire()
  const desk = await openDesk(plan, { store, bus, ledger, witness: deskWitness(faults, hands) })
  leaving.defer(desk.close)
  return {
    desk,
    ledger,
    isQuiet: async () => (await (await present()?.worker)?.isQuiet()) ?? false,
    check: trouble.check,
  }
}

/** Its loops end and its timers with them; what waits at its gate waits for ever, so nobody waits for the close. */
function leave(worker: Promise<Worker>): void {
  void worker
    .then(({ runtime }) => runtime.close({ graceMs: 0 }))
    .catch(() => {
      // It never came to life.
    })
}
