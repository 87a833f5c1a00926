// The whole arguments of a call: from the record where nothing was masked, else from this process's memory or the sealed box.

import { Buffer } from 'node:buffer'
import { sealContext } from '../beside.ts'
import { argumentsDigest } from '../digest.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import type { CallState } from '../state.ts'
import type { Actor } from './actor.ts'
import { parseJson } from '../json-text.ts'

/**
 * Null when the real value is gone: such a call is never run with the mask (D11). What does not have the keyed digest that was judged
 * and approved is not the real value (C5).
 */
export async function wholeArguments(actor: Actor, call: CallState): Promise<JsonObject | null> {
  if (call.prepared === null) return null
  const whole = call.prepared.masked ? await maskedArguments(actor, call) : call.prepared.arguments
  if (whole === null || argumentsDigest(actor.turnKey, call.item.name, whole) === call.prepared.argumentsDigest) return whole
  actor.ports.log.error('arguments do not have the digest that was judged', { turnId: actor.turnId, ordinal: call.ordinal })
  return null
}

async function maskedArguments(actor: Actor, call: CallState): Promise<JsonObject | null> {
  return actor.wholes.get(call.ordinal) ?? (await unseal(actor, call))
}

/** What is sealed of a call beside its stream; null where nothing is, or the host's key is another one. */
export async function unseal({ turnId, ports }: Pick<Actor, 'turnId' | 'ports'>, { ordinal }: CallState): Promise<JsonObject | null> {
  const { sealer, store, log } = ports
  if (sealer === null) return null
  const box = await store.sealed(turnId, ordinal)
  if (box === null) return null
  try {
    const value: Json = parseJson(Buffer.from(sealer.open(box, sealContext(turnId, ordinal))).toString('utf8'))
    return isJsonObject(value) ? value : null
  } catch {
    log.error('sealed arguments do not open under this key', { turnId, ordinal })
    return null
  }
}
