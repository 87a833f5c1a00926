// What the tools of several sources are called in one catalog: by their own name, or by their source's name too where it is taken.

import { qualifiedName } from '../tool.ts'

/** A tool as its source calls it. */
export type Listed = { readonly source: string; readonly tool: string }

/**
 * The name of each tool in the catalog; null for one whose qualified name is taken as well, which is left out.
 *
 * Two tools of one name are both qualified, whichever came first: neither ever gets the other one's calls. A tool of the host's own
 * keeps its name. It follows from what is listed and not from the order of it.
 *
 * @param own names of the host's own tools
 * @param qualified the qualified names that stood before, and stay so; those that are new are added
 */
export function catalogNames(own: ReadonlySet<string>, listed: readonly Listed[], qualified: Set<string>): readonly (string | null)[] {
  for (;;) {
    const names = listed.map(({ source, tool }) => (qualified.has(qualifiedName(source, tool)) ? qualifiedName(source, tool) : tool))
    const counts = new Map<string, number>()
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
    const isTaken = (name: string): boolean => own.has(name) || (counts.get(name) ?? 0) > 1
    const plain = listed.filter(({ tool }, index) => names[index] === tool && isTaken(tool))
    if (plain.length === 0) return names.map(name => (isTaken(name) ? null : name))
    for (const { source, tool } of plain) qualified.add(qualifiedName(source, tool))
  }
}
