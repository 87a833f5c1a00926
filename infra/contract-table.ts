// Writes infra/docs/contract.md: which code, scenarios and tests hold which rule of the contract.
//
//   node infra/contract-table.ts [--check]
//
// `--check` writes nothing and exits with 1 when the document is not up to date.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderContract } from './contract/render.ts'
import { readContract, readSuites, TOP } from './contract/rules.ts'
import { filesByRule } from './contract/sources.ts'

const path = join(TOP, 'infra', 'docs', 'contract.md')
const contract = readContract()
const text = renderContract(contract, filesByRule(Object.keys(contract.rules)), await readSuites())
if (!process.argv.includes('--check')) writeFileSync(path, text)
else if (!existsSync(path) || readFileSync(path, 'utf8') !== text) {
  console.error('infra/docs/contract.md is not up to date: run `node infra/contract-table.ts`')
  process.exitCode = 1
}
