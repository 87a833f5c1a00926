// What a host advertises: facets of `toolHooks` and `aiProviders` and no family of its own (D10), and the effect-seam manifest (F1).

import { GATES } from './events/shapes.ts'
import type { ProviderTool } from './events/turn.ts'
import type { JsonObject } from './json.ts'
import type { Limits } from './limits.ts'
import type { Model } from './ports/model.ts'

/** What the document is written from. */
export type Advertised = {
  readonly limits: Limits
  /** Name of the ask tool, where there is one. */
  readonly ask: string | null
  readonly providerTools: readonly ProviderTool[]
  /** Null for a process that asks no model. */
  readonly model: Model['capabilities'] | null
}

/** A row of the effect-seam manifest: what may happen outside of the host's own dispatch. */
export type EffectSeam = ProviderTool & { readonly kind: 'provider' }

/** Every tool that a provider may execute inside a round. One that is not listed is not offered; the default is none. */
export function effectSeams(providerTools: readonly ProviderTool[]): readonly EffectSeam[] {
  return providerTools.map(({ name, replayPolicy }) => ({ kind: 'provider', name, replayPolicy }))
}

/** The capability document. */
export function capabilityDocument({ limits, ask, providerTools, model }: Advertised): JsonObject {
  const { clarifications, ...others } = limits
  return {
    toolHooks: {
      turnReplay: true,
      /** D12. */
      scope: 'turns that run tools on behalf of a run',
      outOfScope: ['chat turns', 'voice turns'],
      channels: ['tool', 'structured', 'prompted'],
      admission: [...GATES, 'dispatch'],
      outcomes: ['executed', 'refused', 'held', 'suppressed-repeat', 'ended-turn', 'invalid'],
      replayPolicies: ['read-only', 'idempotent', 'at-most-once'],
      contentTrust: ['trusted', 'untrusted'],
      clarification: ask !== null,
      limits: { ...others, clarificationRounds: clarifications },
      /** D10: what leaves for others is no content. */
      outwardSurfaces: ['outcome', 'sizes', 'digests'],
    },
    aiProviders: {
      toolCalls: model?.toolCalls ?? null,
      enforcedOutput: model?.enforcedOutput ?? null,
      providerExecutedTools: effectSeams(providerTools).map(({ name, replayPolicy }) => ({ name, replayPolicy })),
      /** F4. */
      delegatedTransports: [],
    },
  }
}
