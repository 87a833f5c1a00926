// The lint of a catalog (G3): what makes a model choose badly from it, what is not safe in it, and what breaks against an earlier one.

import type { Tool } from '../../../machines/tool.ts'
import type { Finding } from '../finding.ts'
import { changeFindings } from './changes.ts'
import { costFindings, sizeFindings } from './cost.ts'
import { descriptionFindings } from './describing.ts'
import { linted, type Linted, type LintedDescriptor } from './linted.ts'
import { nameFindings } from './naming.ts'
import { schemaFindings } from './schemas.ts'
import { twinFindings } from './twins.ts'
import { found } from './words.ts'

export type LintOptions = {
  /** The descriptors of an earlier catalog, as `turn.opened` holds them. */
  readonly against?: readonly LintedDescriptor[]
}

/**
 * Looks at every tool of a catalog, and at the catalog as a whole (G3). Runs no tool and asks no model.
 *
 * @param tools tools, or descriptors of them
 * @returns what was found: first of the catalog as a whole (`tool` is null), then by tool in their order, then what breaks
 */
export function lintCatalog(tools: readonly (Tool | LintedDescriptor)[], options: LintOptions = {}): readonly Finding[] {
  const all = tools.map(linted)
  return [
    ...sizeFindings(all),
    ...twinFindings(all.filter(({ faults }) => faults.length === 0)),
    ...repeatedNames(all),
    ...all.flatMap(toolFindings),
    ...changeFindings((options.against ?? []).map(linted), all),
  ]
}

function toolFindings(tool: Linted): readonly Finding[] {
  return [...nameFindings(tool), ...descriptionFindings(tool), ...schemaFindings(tool), ...costFindings(tool), ...doubtFindings(tool)]
}

function repeatedNames(tools: readonly Linted[]): readonly Finding[] {
  const names = Map.groupBy(tools, ({ name }) => name)
  return [...names]
    .filter(([, same]) => same.length > 1)
    .map(([name, same]) => found('name-repeated', name, '/name', `${same.length} tools have this name.`))
}

function doubtFindings({ name, descriptor, reconciles }: Linted): readonly Finding[] {
  if (descriptor.replayPolicy !== 'at-most-once' || reconciles !== false) return []
  return [found('reconcile-missing', name, '/replayPolicy', 'It may not run again, and nothing tells what became of a call in doubt.')]
}
