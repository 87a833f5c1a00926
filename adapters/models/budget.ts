// The room that a model has for its answer: a round that ran out of it is asked for again with twice as much (B4).

/** More than any model writes in one response. */
const MOST_TOKENS = 1_048_576

/**
 * @param tokens what the host gave for the first try
 * @param truncations truncated rounds right before this one
 */
export function outputBudget(tokens: number, truncations: number): number {
  return Math.max(tokens, Math.min(tokens * 2 ** truncations, MOST_TOKENS))
}
