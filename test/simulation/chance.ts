// Chance from a seed: the same name gives the same numbers, on every machine and for ever.

/** A stream of numbers. Parts of it are streams of their own, so that one more draw in one of them moves none of the others. */
export type Chance = {
  /** 0 ≤ n < 1. */
  readonly fraction: () => number
  readonly hit: (probability: number) => boolean
  /** A whole number, both ends included. */
  readonly from: (least: number, most: number) => number
  readonly one: <T>(of: readonly T[]) => T
  /** One of the keys, each as likely as its weight. */
  readonly weighted: <T extends string>(weights: { readonly [key in T]: number }) => T
  readonly bytes: (count: number) => Uint8Array
  readonly part: (name: string) => Chance
}

export function chanceOf(name: string): Chance {
  const next = sfc32(name)
  const fraction = () => next() / 2 ** 32
  const from = (least: number, most: number) => least + Math.floor(fraction() * (most - least + 1))
  return {
    fraction,
    hit: probability => probability > 0 && fraction() < probability,
    from,
    one: <T>(of: readonly T[]) => of[from(0, of.length - 1)] as T,
    weighted: <T extends string>(weights: { readonly [key in T]: number }) => weigh(Object.entries<number>(weights), fraction()) as T,
    bytes: count => Uint8Array.from({ length: count }, () => next() >>> 24),
    part: part => chanceOf(`${name}/${part}`),
  }
}

function weigh(weights: readonly (readonly [key: string, weight: number])[], fraction: number): string {
  let left = fraction * weights.reduce((sum, [, weight]) => sum + weight, 0)
  for (const [key, weight] of weights) {
    left -= weight
    if (left < 0) return key
  }
  return weights.findLast(([, weight]) => weight > 0)?.[0] as string
}

/** The generator sfc32 over four words that a hash makes of the name. */
function sfc32(name: string): () => number {
  let [a, b, c, d] = wordsOf(name)
  const next = () => {
    const sum = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + sum) | 0
    return sum >>> 0
  }
  for (let warm = 0; warm < 12; warm += 1) next()
  return next
}

function wordsOf(name: string): [number, number, number, number] {
  const word = (start: number) => {
    let hash = start
    for (let index = 0; index < name.length; index += 1) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193) >>> 0
    hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> 0
    return (hash ^ (hash >>> 13)) >>> 0
  }
  return [word(0x811c9dc5), word(0x9e3779b9), word(0x7f4a7c15), word(0xc2b2ae35)]
}
