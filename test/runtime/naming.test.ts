// Goal: of two tools of one name neither ever gets the other one's calls, whoever listed first.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { catalogNames, type Listed } from '../../machines/runtime/naming.ts'

const names = (own: readonly string[], listed: readonly Listed[], qualified = new Set<string>()) =>
  catalogNames(new Set(own), listed, qualified)

const a = (tool: string): Listed => ({ source: 'a', tool })
const b = (tool: string): Listed => ({ source: 'b', tool })

describe('the names of tools from sources', () => {
  test('are their own where nobody else has them', () => {
    expect(names(['find'], [a('send'), b('read')])).toEqual(['send', 'read'])
  })

  test('are qualified on both sides where two sources have one name', () => {
    expect(names([], [a('send'), b('send'), b('read')])).toEqual(['a__send', 'b__send', 'read'])
  })

  test("are qualified where the host's own tool has the name", () => {
    expect(names(['send'], [a('send')])).toEqual(['a__send'])
  })

  test('stay qualified once they were', () => {
    const qualified = new Set<string>()
    names([], [a('send'), b('send')], qualified)
    expect(names([], [a('send')], qualified)).toEqual(['a__send'])
  })

  test('give way where a qualified name is somebody’s plain one', () => {
    expect(names([], [a('send'), b('send'), { source: 'c', tool: 'a__send' }])).toEqual(['a__send', 'b__send', 'c__a__send'])
  })

  test('are none where the qualified one is a tool of the host', () => {
    expect(names(['send', 'a__send'], [a('send'), b('send')])).toEqual([null, 'b__send'])
  })

  test('never collide, and do not depend on the order of the lists', () => {
    const name = fc.constantFrom('send', 'read', 'a__send', 'b__a__send', 'x')
    const tools = fc.uniqueArray(fc.record({ source: fc.constantFrom('a', 'b', 'c'), tool: name }), {
      selector: ({ source, tool }) => `${source} ${tool}`,
    })
    fc.assert(
      fc.property(fc.uniqueArray(name), tools, fc.infiniteStream(fc.nat()), (own, listed, order) => {
        const given = names(own, listed)
        const present = given.filter(each => each !== null)
        expect(new Set([...present, ...own]).size).toBe(present.length + own.length)
        const shuffled = listed
          .map((each, index) => ({ each, index, at: order.next().value ?? 0 }))
          .toSorted((one, other) => one.at - other.at)
        const again = names(
          own,
          shuffled.map(({ each }) => each),
        )
        expect(shuffled.map(({ index }) => given[index])).toEqual(again)
      }),
    )
  })
})
