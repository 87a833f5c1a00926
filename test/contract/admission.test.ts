// Goal: the order of the gates is held by the scenarios: whatever gate is left out, exchanged or ignored, one of them turns red.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const script = join(import.meta.dirname, '..', '..', 'infra', 'mutate-admission.ts')

it('no broken list of gates goes unnoticed', { timeout: 120_000 }, () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--quick'], { encoding: 'utf8' })
  expect(stdout).toMatch(/^19 mutants, 0 survive$/m)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})
