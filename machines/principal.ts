// Who acts, who may decide, and by which lane a decision came.

import Type, { type Static } from 'typebox'

const PrincipalKind = Type.Union([Type.Literal('person'), Type.Literal('service')])

/** An authenticated party. The host has authenticated it; the runtime only compares issuer, id and kind. */
export const Principal = Type.Object(
  {
    issuer: Type.String({ minLength: 1 }),
    id: Type.String({ minLength: 1 }),
    kind: PrincipalKind,
    scopes: Type.Array(Type.String({ minLength: 1 })),
  },
  { additionalProperties: false },
)
export type Principal = Static<typeof Principal>

/** Somebody who may resolve while the turn is trusted (C4). The kind, where given, must match as well. */
export const Approver = Type.Object(
  {
    issuer: Type.String({ minLength: 1 }),
    id: Type.String({ minLength: 1 }),
    kind: Type.Optional(PrincipalKind),
  },
  { additionalProperties: false },
)
export type Approver = Static<typeof Approver>

/** The lane of a decision: the interactive application, a signed link, a delegated token, MCP. */
export const Via = Type.Union([Type.Literal('app'), Type.Literal('link'), Type.Literal('delegate'), Type.Literal('mcp')])
export type Via = Static<typeof Via>

/** Same issuer and same subject: the same party, whatever its scopes were when it was authenticated. */
export function sameParty(a: { issuer: string; id: string }, b: { issuer: string; id: string }): boolean {
  return a.issuer === b.issuer && a.id === b.id
}

/** The turn's principal when it is a person; null when a service or nobody acts. */
export function actingPerson(principal: Principal | null): Principal | null {
  return principal !== null && principal.kind === 'person' ? principal : null
}
