// The processes of a run: started, killed, frozen, drained and started again. Where faults strike is decided here.

import { openMemory } from '../../store/memory.ts'
import type { Chance } from './chance.ts'
import { newLife } from './life.ts'
import { lineOf, type Side } from './line.ts'
import { startConsumer, type Shelf } from './consumer.ts'
import { startRuntime, type Host, type Process } from './process.ts'
import type { Stage } from './stage.ts'

export type SlotKind = 'worker' | 'web' | 'consumer'
/** A place for a process; at most one of its starts is wanted at a time, though an older one may still stand about, frozen. */
type Slot = { readonly name: string; readonly kind: SlotKind; starts: number; process: Process | null }

export type Crew = {
  /** Every process that was ever started. */
  readonly all: () => readonly Process[]
  /** One that is up and has a runtime; null where none is. */
  readonly someone: (chance: Chance) => Process | null
  /** Something befell the process that enlisted under this id; also where nobody did. */
  readonly hadTrouble: (worker: string) => boolean
  /** Something befalls one of the workers. */
  readonly drainSomeone: (chance: Chance) => void
  /** Faults have stopped: what stands still goes on, what is dead is started again. */
  readonly mend: () => void
  readonly isMended: () => boolean
}

export type CrewOptions = {
  readonly stage: Stage
  readonly host: Host
  readonly shelf: Shelf
}

const RESTART_MS = [50, 2_000, 20_000] as const
const FROZEN_MS = [800, 6_000, 18_000, 18_000, 35_000] as const
/** How much more likely a process dies, or stands still, at the call that a plan has picked. */
const STRUCK = 0.25
/** What a process does all the time although nothing goes on. */
const IDLE = /^(claim|lead|unpublished|heads|cursor|place|advance|saveCursor|now)/
const IDLE_WEIGHT = 0.04

export function newCrew(options: CrewOptions): Crew {
  const { stage } = options
  const slots = slotsOf(stage)
  const all: Process[] = []
  for (const slot of slots) begin(options, slot, all)
  return {
    all: () => all,
    someone: chance => {
      const up = slots.flatMap(({ process }) => (process !== null && isUp(process) ? [process] : []))
      return up.length === 0 ? null : chance.one(up)
    },
    hadTrouble: worker => {
      const process = all.find(({ workers }) => workers.has(worker))
      return process === undefined || process.drains || process.life.hadTrouble()
    },
    drainSomeone: chance => {
      const slot = chance.one(slots.filter(({ kind }) => kind === 'worker'))
      if (slot.process !== null && isUp(slot.process) && !slot.process.drains) drain(options, slot, slot.process, chance, all)
    },
    mend: () => {
      for (const process of all) process.life.thaw()
      if (stage.plan.drift === 'gone') endFirstStarts(options, slots, all)
      for (const slot of slots) if (slot.process === null) begin(options, slot, all)
    },
    isMended: () =>
      slots.every(({ process, kind }) => process !== null && !process.drains && (kind === 'consumer' || process.runtime !== null)),
  }
}

/** The last of those that have every tool is gone, however it goes. */
function endFirstStarts(options: CrewOptions, slots: readonly Slot[], all: Process[]): void {
  for (const slot of slots) {
    if (slot.kind === 'worker' && slot.starts === 1 && slot.process !== null) bury(options, slot, slot.process, 0, all)
  }
}

function isUp(process: Process): boolean {
  return process.runtime !== null && !process.life.isDead() && !process.life.isFrozen()
}

function slotsOf({ plan }: Stage): readonly Slot[] {
  const named = (kind: SlotKind, count: number): Slot[] =>
    Array.from({ length: count }, (_, index) => ({ name: `${kind[0]}${index + 1}`, kind, starts: 0, process: null }))
  const [web] = named('web', 1)
  return [...named('worker', plan.workers), { ...(web as Slot), name: 'p1' }, ...named('consumer', plan.consumers)]
}

/** Starts the next process in a slot. */
function begin(options: CrewOptions, slot: Slot, all: Process[]): void {
  const { stage, host, shelf } = options
  if (slot.process !== null) return
  slot.starts += 1
  const name = `${slot.name}.${slot.starts}`
  const life = newLife(name, stage.time)
  const process: Process = {
    life,
    name,
    drives: slot.kind === 'worker',
    workers: new Set(),
    leaseUntil: 0,
    runtime: null,
    drains: false,
    connections: [],
    line: lineOf({
      life,
      time: stage.time,
      chance: stage.chance.part(`line/${name}`),
      latencyMs: () => (stage.isCalm() ? 0 : stage.plan.latencyMs),
      fault: (side, what) => strike(options, slot, process, side, what, faultChance, all),
    }),
  }
  const faultChance = stage.chance.part(`faults/${name}`)
  slot.process = process
  all.push(process)
  stage.trace.say(name, 'starts')
  const starting = slot.kind === 'consumer' ? startConsumer(stage, host, process, shelf) : startRuntime(stage, host, process)
  starting.catch((error: unknown) => {
    stage.trace.say(name, `does not come up: ${String(error)}`)
    bury(options, slot, process, 1_000, all)
  })
}

/** A call is about to be sent, or its answer about to arrive: here a process dies, or stands still. */
function strike(options: CrewOptions, slot: Slot, process: Process, side: Side, what: string, chance: Chance, all: Process[]): void {
  const { stage } = options
  const { plan } = stage
  if (stage.isCalm() || !isAlive(process)) return
  const weight = IDLE.test(what) ? IDLE_WEIGHT : 1
  const picked = (call: string | null) => (call !== null && isAt(what, call) ? STRUCK : 0)
  if (chance.hit(weight * plan.kill + picked(plan.killAt))) {
    stage.trace.say(process.name, `dies ${side} ${what}`)
    bury(options, slot, process, chance.one(RESTART_MS), all)
    if (chance.hit(0.4)) tellExit(stage, process)
  } else if (chance.hit(weight * plan.freeze + picked(plan.freezeAt))) {
    const ms = chance.one(FROZEN_MS)
    stage.trace.say(process.name, `stands still for ${ms} ms ${side} ${what}`)
    process.life.freeze(plan.clockStands)
    stage.time.after(ms, process.life.thaw)
  }
}

function isAlive({ life }: Process): boolean {
  return !life.isDead() && !life.isFrozen()
}

/** `append call.recorded` is at every append that holds one. */
function isAt(what: string, picked: string): boolean {
  const [call = '', type = ''] = picked.split(' ')
  return what.startsWith(call) && what.includes(type)
}

function bury(options: CrewOptions, slot: Slot, process: Process, restartMs: number, all: Process[]): void {
  process.life.die()
  for (const close of process.connections) close()
  if (slot.process === process) slot.process = null
  const { stage } = options
  stage.time.after(stage.isCalm() ? 0 : restartMs, () => begin(options, slot, all))
}

/** Whoever started the process saw it exit, and ends its lease at once. */
function tellExit(stage: Stage, process: Process): void {
  const admin = openMemory(stage.database)
  for (const worker of process.workers) {
    stage.trace.say('host', `ends the lease of ${worker}`)
    void admin.retire(worker)
  }
}

function drain(options: CrewOptions, slot: Slot, process: Process, chance: Chance, all: Process[]): void {
  const { stage } = options
  const graceMs = chance.one([0, 1_000, 10_000])
  stage.trace.say(process.name, `drains for ${graceMs} ms`)
  process.drains = true
  const closing = process.runtime?.close({ graceMs }) ?? Promise.resolve()
  void closing.then(() => {
    if (process.life.isDead()) return
    stage.trace.say(process.name, 'has drained')
    bury(options, slot, process, chance.one(RESTART_MS), all)
  })
}
