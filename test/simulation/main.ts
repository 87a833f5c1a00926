// Runs seeds one after the other: `npm run sim -- --runs 1000`. A failure prints the rule that was broken, and the command that
// makes it happen again.

import { parseArgs } from 'node:util'
import { simulate } from './run.ts'

const { values } = parseArgs({ options: { runs: { type: 'string', default: '1000' }, seed: { type: 'string', default: '1' }, lines: { type: 'boolean', default: false } } })
const first = Number(values.seed)
let failed = 0
const began = performance.now()
const sums: Record<string, number> = {}
for (let seed = first; seed < first + Number(values.runs); seed += 1) {
  const report = await simulate(String(seed))
  for (const [name, sum] of Object.entries(report.sums)) sums[name] = (sums[name] ?? 0) + sum
  if (report.broken !== null) {
    failed += 1
    console.log(`seed ${seed}: ${report.broken}\n  again: npm run sim -- --runs 1 --seed ${seed} --lines`)
  }
  if (values.lines) {
    console.log(JSON.stringify(report.plan))
    for (const line of report.lines) console.log(line)
  }
}
console.log(JSON.stringify({ runs: Number(values.runs), failed, seconds: (performance.now() - began) / 1000, ...sums }))
process.exitCode = failed === 0 ? 0 : 1
