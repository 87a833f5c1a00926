// What does not fit a schema, said in the words of the schema.

/** One thing that does not fit. Every part is the schema's word or ours; nothing is taken from the value (B7, A4). */
export type Problem = {
  /** JSON pointer; a property that the schema does not declare stands in it as UNDECLARED. Empty: the value itself. */
  readonly path: string
  /** The keyword of the schema that was broken, or `limit` for a bound of ours. */
  readonly keyword: string
  /** What would fit. */
  readonly expected: string
}

export const UNDECLARED = '<undeclared property>'

/** At most so many problems of one value are told. */
export const MAX_PROBLEMS = 8
