// Goal: a fault strikes at the try it names, as often as it says, whoever makes the try.

import { describe, expect, it } from 'vitest'
import { armFaults } from '../../adapters/scenario/faults.ts'

const RECORD = ['call.recorded'] as const

describe('a kill', () => {
  it('strikes once, at the first try where no number is named', () => {
    const { meet } = armFaults([{ kill: 'before', event: 'call.recorded' }])
    expect([meet(RECORD), meet(RECORD), meet(RECORD)]).toEqual(['die-first', 'send', 'send'])
  })

  it('counts the tries that other kills prevented', () => {
    const { meet } = armFaults([
      { kill: 'before', event: 'call.recorded' },
      { kill: 'after', event: 'call.recorded', nth: 2 },
    ])
    expect([meet(RECORD), meet(RECORD), meet(RECORD)]).toEqual(['die-first', 'die-after', 'send'])
  })

  it('does not count a try in which others were first', () => {
    const { meet, takeBack } = armFaults([{ kill: 'after', event: 'call.recorded' }])
    expect(meet(RECORD)).toBe('die-after')
    takeBack(RECORD)
    expect(meet(RECORD)).toBe('die-after')
  })

  it('waits for its own event', () => {
    const { meet, watched } = armFaults([{ kill: 'after', event: 'call.held' }])
    expect(watched).toEqual(['call.held'])
    expect([meet(RECORD), meet(['round.recorded', 'call.held'])]).toEqual(['send', 'die-after'])
  })
})

describe('an append that fails', () => {
  it('fails from its number on, as often as it says', () => {
    const { meet } = armFaults([{ appendFails: 'call.recorded', nth: 2, times: 2 }])
    expect([meet(RECORD), meet(RECORD), meet(RECORD), meet(RECORD)]).toEqual(['send', 'refuse', 'refuse', 'send'])
  })

  it('comes before a kill that is named behind it', () => {
    const { meet } = armFaults([{ appendFails: 'call.recorded' }, { kill: 'before', event: 'call.recorded', nth: 2 }])
    expect([meet(RECORD), meet(RECORD)]).toEqual(['refuse', 'die-first'])
  })
})

it('faults that are at no append strike at none', () => {
  const { meet, watched } = armFaults([{ bus: 'down' }, { deleteRecord: 'call.recorded', before: 'replay' }])
  expect(watched).toEqual([])
  expect(meet(RECORD)).toBe('send')
})
