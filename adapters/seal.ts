// The seal around secret arguments while a call waits or is in doubt (D11): AES-256-GCM under the host's key.
//
// A box is one version byte, a nonce of 12 bytes, a tag of 16, and the sealed bytes. The context (turn and ordinal) is
// authenticated with it, so a box that was moved to another call does not open.

import { createCipheriv, createDecipheriv } from 'node:crypto'
import { ToolturnError } from '../machines/errors.ts'
import type { Random, Sealer } from '../machines/ports/world.ts'

const VERSION = 1
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES

/**
 * Makes the sealer of a runtime.
 *
 * @param key 32 bytes, or their base64 or base64url
 * @param random gives the nonce of each box: 96 bits of chance, enough for some billions of boxes under one key
 * @throws ToolturnError `option_invalid` for a key of another length
 */
export function createSealer(key: Uint8Array | string, random: Pick<Random, 'bytes'>): Sealer {
  const secret = readKey(key)
  return {
    seal: (plain, context) => {
      const nonce = random.bytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(authenticated(context))
      const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
      return new Uint8Array(Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), sealed]))
    },
    open: (box, context) => {
      if (box.length < HEAD_BYTES || box[0] !== VERSION) throw new Error('not a sealed box of a version that this process can open')
      const nonce = box.subarray(1, 1 + NONCE_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', secret, nonce, { authTagLength: TAG_BYTES })
      decipher.setAAD(authenticated(context)).setAuthTag(box.subarray(1 + NONCE_BYTES, HEAD_BYTES))
      return new Uint8Array(Buffer.concat([decipher.update(box.subarray(HEAD_BYTES)), decipher.final()]))
    },
  }
}

/** The version is authenticated as well: a box cannot be passed off as one of another version. */
function authenticated(context: string): Buffer {
  return Buffer.concat([Buffer.of(VERSION), Buffer.from(context, 'utf8')])
}

/** The bytes of a key of the host. @throws ToolturnError `option_invalid` for another length */
export function readKey(key: Uint8Array | string): Buffer {
  const bytes = typeof key === 'string' ? readBase64(key) : Buffer.from(key)
  if (bytes === null || bytes.length !== KEY_BYTES) {
    throw new ToolturnError('option_invalid', `The key must be ${KEY_BYTES} bytes, or their base64.`, { option: 'key' })
  }
  return bytes
}

/** Node reads past what is no base64; a mistyped key must not become another one. */
function readBase64(text: string): Buffer | null {
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text.trim()) ? Buffer.from(text.trim(), 'base64') : null
}
