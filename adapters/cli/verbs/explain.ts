// `explain`: the page of an error code, or the list of all of them.

import { ERROR_PAGES, isErrorCode, ToolturnError, type ErrorCode } from '../../../machines/errors.ts'
import { closeNames } from '../../../machines/names.ts'
import { EXIT } from '../exit.ts'
import { facts, indent } from '../text.ts'
import { command, verb, type Verb } from '../verb.ts'

const words = command('explain', 'Print the page of an error code', 'explain tool_outcome_unknown').argument(
  '[code]',
  'without one, all of them',
)

const CODES = Object.keys(ERROR_PAGES).toSorted() as ErrorCode[]

export const explain: Verb = verb(words, async ({ words: [code], out }) => {
  if (code === undefined) {
    const pages = CODES.map(each => ({ code: each, ...ERROR_PAGES[each] }))
    await out.table(
      pages,
      ['CODE', 'MOVE', 'WHAT'],
      pages.map(({ code: each, whoseMove, what }) => [each, whoseMove, what]),
    )
    return EXIT.done
  }
  if (!isErrorCode(code)) throw unknownCode(code)
  const page = ERROR_PAGES[code]
  const rows = [
    ['what', page.what],
    ['move', page.whoseMove],
    ['mend', page.mend],
  ] as const
  await out.answer({ code, ...page }, () => `${out.ink('bold', code)}\n${indent(facts(rows), 2)}`)
  return EXIT.done
})

function unknownCode(code: string): ToolturnError {
  const close = closeNames(code, CODES)
  const hint = close.length === 0 ? 'Without a code, `explain` lists all of them.' : `Did you mean ${close.join(' or ')}?`
  return new ToolturnError('option_invalid', `There is no error code ${JSON.stringify(code)}. ${hint}`, { option: 'code' })
}
