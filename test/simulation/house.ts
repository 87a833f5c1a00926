// The host's own parts: what it allows, what it masks, and the key it seals with.

import { Buffer } from 'node:buffer'
import { isJsonObject, type Json } from '../../machines/json.ts'
import type { Policy, PolicyDecision, Redactor, Sealer } from '../../machines/ports/world.ts'
import { KINDS } from './catalog.ts'
import { APPROVER } from './parties.ts'
import type { Plan } from './plan.ts'
import { SECRET, type Stage } from './stage.ts'

/** A policy that may change its mind about a tool half-way, or throw. */
export function policyOf({ chance, plan, time }: Stage): Policy {
  const draw = chance.part('policy')
  const usual = () => draw.weighted<PolicyDecision | 'throws'>({ allow: 20, deny: 1, ask: 1.5, throws: 0.2 })
  const rules = new Map(
    KINDS.map(({ name }) => [name, { before: usual(), after: usual(), at: draw.from(0, 4 * plan.chaosMs), listed: draw.hit(0.3) }]),
  )
  return ({ tool }) => {
    const rule = rules.get(tool)
    const word = rule === undefined ? 'allow' : time.now() < rule.at ? rule.before : rule.after
    if (word === 'throws') throw new Error('The simulated policy throws.')
    return word === 'ask' && rule?.listed === true ? { decision: word, reason: 'The host asks.', approvers: [APPROVER] } : word
  }
}

const MASK = '[masked]'

export const redactor: Redactor = {
  reach: SECRET.length + 2,
  value: value => {
    const masked = mask(value)
    return { value: masked, changed: masked !== value }
  },
  text: text => ({ text: text.replaceAll(new RegExp(`${SECRET}-\\d`, 'g'), MASK), changed: text.includes(SECRET) }),
}

function mask(value: Json): Json {
  if (typeof value === 'string') return value.includes(SECRET) ? MASK : value
  if (Array.isArray(value)) return maskItems(value)
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, mask(inner)] as const)
  return entries.every(([key, inner]) => inner === value[key]) ? value : Object.fromEntries(entries)
}

function maskItems(items: readonly Json[]): Json {
  const masked = items.map(mask)
  return masked.every((item, index) => item === items[index]) ? items : masked
}

/** Boxes that open under their own context only; what is in them is of no matter here. */
export function sealerOf({ secrets }: Plan): Sealer | null {
  if (secrets !== 'sealed') return null
  return {
    seal: (plain, context) => Buffer.from(JSON.stringify([context, Buffer.from(plain).toString('base64')])),
    open: (box, context) => {
      const [sealedFor, plain] = JSON.parse(Buffer.from(box).toString()) as [string, string]
      if (sealedFor !== context) throw new Error('The box is of another call.')
      return new Uint8Array(Buffer.from(plain, 'base64'))
    },
  }
}
