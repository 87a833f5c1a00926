// Who calls: whom the host authenticated, never what a client says of itself.

import type { Principal } from '../../../machines/principal.ts'
import type { PrincipalInput } from '../../../machines/runtime/api.ts'
import { readKnown, readPrincipal, readTenant, refuse } from '../../../machines/runtime/door.ts'
import type { ContentTrust } from '../../../machines/tool.ts'

/** What a host says of a request that it knows the sender of. */
export type McpCaller = {
  /** For whom the turns of its calls act; null: for nobody, so nothing that needs a person is run. */
  readonly principal: PrincipalInput | null
  readonly tenant?: string
  /** `trusted`: what comes over this line is the acting person's own word. Default untrusted: a model wrote the arguments (C1). */
  readonly contentTrust?: ContentTrust
}

/**
 * Looks at a request and says who sends it; null on a connection that has none (stdio). A null turns the request away, and so does
 * a response, as it is.
 */
export type Authenticate = (request: Request | null) => McpCaller | Response | null | Promise<McpCaller | Response | null>

export type Caller = { readonly principal: Principal | null; readonly tenant: string; readonly contentTrust: ContentTrust }

/** @throws ToolturnError `option_invalid` for what is no caller */
export function readCaller(given: McpCaller): Caller {
  const { principal, tenant, contentTrust = 'untrusted' } = readKnown('authenticate', given, ['principal', 'tenant', 'contentTrust'])
  if (contentTrust !== 'trusted' && contentTrust !== 'untrusted') refuse('authenticate.contentTrust', 'trusted, untrusted')
  if (principal === undefined) refuse('authenticate.principal', 'a principal, or null where nobody acts')
  return {
    principal: principal === null ? null : readPrincipal('authenticate.principal', principal),
    tenant: readTenant(tenant),
    contentTrust,
  }
}

/** The same for the same party of the same tenant, and for nobody else. */
export function partyName({ principal, tenant }: Caller): string {
  return JSON.stringify(principal === null ? [tenant] : [tenant, principal.kind, principal.issuer, principal.id])
}
