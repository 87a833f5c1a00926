// Prints the closing line of a test run from vitest's JSON report, and fails when a test was left out for want of a server.

import { readFileSync } from 'node:fs'

type Report = {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: readonly { readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[] }[]
}

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('Name the JSON report of a test run.')
const report = JSON.parse(readFileSync(file, 'utf8')) as Report
const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults)
const left = tests.filter(({ status }) => status !== 'passed' && status !== 'failed')
// Whoever runs the tests can start a server; data that lies beside some checkouts only is said, and is no failure.
const untested = left.filter(({ fullName }) => fullName.includes('NOT TESTED'))
const withoutServer = untested.filter(({ fullName }) => fullName.includes('NOT TESTED: no server'))

for (const { fullName } of untested) console.error(`left out: ${fullName}`)
const skipped = left.length === 0 ? '' : `, ${left.length} skipped`
console.log(`${report.numPassedTests} passed, ${report.numFailedTests} failed${skipped}`)
if (report.numPassedTests === 0 || report.numFailedTests > 0 || withoutServer.length > 0) process.exitCode = 1
