// Who acts at a command line: the user of the operating system, as a person of this host.

import { hostname, userInfo } from 'node:os'
import type { PrincipalInput } from '../../machines/runtime/api.ts'

/** Issuer `os:<host>` and the user's number; its name where the system gives no numbers. */
export function personHere(): PrincipalInput {
  const id = process.getuid?.() ?? userInfo().username
  return { issuer: `os:${hostname()}`, id: String(id), kind: 'person' }
}
