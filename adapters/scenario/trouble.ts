// Failures of work that nobody waits for, kept for whoever looks.

export type Trouble = {
  readonly watch: (work: () => Promise<void>) => Promise<void>
  readonly meet: (error: unknown) => void
  /** @throws the first that was met */
  readonly check: () => void
}

export function troubles(): Trouble {
  const met: unknown[] = []
  const meet = (error: unknown) => void met.push(error)
  return {
    watch: work => work().catch(meet),
    meet,
    check: () => {
      if (met.length > 0) throw met[0]
    },
  }
}
