// Many rows in one statement: one array parameter for each column.

import type { Parameter } from './database.ts'

/** A column of a table that is handed in. */
export type Column<Item> = {
  readonly name: string
  readonly type: 'uuid' | 'text' | 'int4' | 'float8' | 'bool'
  readonly of: (item: Item) => string | number | boolean | null
}

/** The from-item: `unnest($1::uuid[], …) with ordinality as b(turn_id, …, n)`, its parameters counted from `first`. */
export function unnest<Item>(alias: string, columns: readonly Column<Item>[], first: number): string {
  const arrays = columns.map(({ type }, index) => `$${first + index}::${type}[]`)
  return `unnest(${arrays.join(', ')}) with ordinality as ${alias}(${columns.map(({ name }) => name).join(', ')}, n)`
}

export function arraysOf<Item>(columns: readonly Column<Item>[], items: readonly Item[]): Parameter[] {
  return columns.map(({ of }) => items.map(of))
}
