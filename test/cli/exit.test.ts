// Goal: every error ends a command with the code that scripts go by, and says what happened, whose move it is and how to mend it.

import { CommanderError } from 'commander'
import { describe, expect, test } from 'vitest'
import { reportJson, reportOf, reportText } from '../../adapters/cli/exit.ts'
import { ERROR_PAGES, ToolturnError, type ErrorCode } from '../../machines/errors.ts'
import { HOSTILE } from './host.config.ts'

const exitOf = (code: ErrorCode, details = {}) => reportOf(new ToolturnError(code, '', details)).exit

describe('the exit code', () => {
  test('is 2 where the caller wrote what makes no sense', () => {
    const codes = ['option_invalid', 'scenario_invalid', 'tool_name_duplicate', 'replay_policy_missing'] as const
    for (const code of codes) expect(exitOf(code)).toBe(2)
    const unknown = new CommanderError(1, 'commander.unknownOption', "error: unknown option '--x'")
    expect(reportOf(unknown)).toMatchObject({ exit: 2, code: 'option_invalid', message: "unknown option '--x'" })
  })

  test('is 3 where the store or the bus cannot be used', () => {
    for (const code of ['store_unreachable', 'store_locked', 'schema_unmigrated', 'bus_unreachable'] as const) expect(exitOf(code)).toBe(3)
  })

  test('tells a newer database from a newer stream', () => {
    expect(exitOf('schema_newer', { schema: 'toolturn' })).toBe(3)
    expect(exitOf('schema_newer', { turnId: 't' })).toBe(1)
  })

  test('is 1 for every other code', () => {
    const counted = Object.groupBy(Object.keys(ERROR_PAGES) as ErrorCode[], code => exitOf(code))
    expect(counted[2]).toHaveLength(4)
    expect(counted[3]).toHaveLength(5)
  })
})

describe('the block', () => {
  test('holds code, message, details, whose move it is and how to mend it, and steers no terminal', () => {
    const report = reportOf(new ToolturnError('call_not_in_doubt', `No: ${HOSTILE}`, { turnId: 't', ordinal: 2, state: HOSTILE }))
    const text = reportText(report, false)
    expect(text).toMatch(/^toolturn: call_not_in_doubt: No: /)
    expect(text).toMatch(/^ {2}turn +t$/m)
    expect(text).toMatch(/^ {2}ordinal +2$/m)
    expect(text).toMatch(/^ {2}move +caller$/m)
    expect(text).toMatch(/^ {2}mend +Nothing was changed\./m)
    expect(`${text}${reportJson(report, false)}`).not.toMatch(/(?!\n)\p{Cc}/u)
  })

  test('holds the stack, and that of the cause, only where it is asked for', () => {
    const report = reportOf(new ToolturnError('internal', '', {}, new Error('deeper')))
    expect(reportText(report, false)).not.toContain('exit.test.ts')
    expect(reportText(report, true)).toMatch(/exit\.test\.ts[^]+caused by Error: deeper/)
    expect(JSON.parse(reportJson(report, false))).not.toHaveProperty('error.stack')
  })
})

test('an error of another copy of the package is known by its code', () => {
  const foreign = Object.assign(new Error('One at a time.'), { name: 'ToolturnError', code: 'store_locked', details: { pid: 7 } })
  expect(reportOf(foreign)).toMatchObject({ exit: 3, code: 'store_locked', message: 'One at a time.', details: { pid: 7 } })
})

test('of what nobody foresaw only the kind is told: its text may quote content', () => {
  expect(reportOf(new TypeError('secret text'))).toMatchObject({ exit: 1, code: 'internal', message: expect.stringContaining('TypeError') })
  expect(reportText(reportOf(new TypeError('secret text')), false)).not.toContain('secret')
  expect(reportOf('thrown text')).toMatchObject({ code: 'internal', message: expect.stringContaining('string') })
})
