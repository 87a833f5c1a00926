// What the demo is about: who asks, what the scripted model says, and who may decide.

import type { Model } from '../../machines/ports/model.ts'
import type { PrincipalInput, SpawnOptions } from '../../machines/runtime/api.ts'
import { scripted } from '../models/scripted.ts'

export const ANA: PrincipalInput = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' }

export const ASKED: SpawnOptions = {
  input: 'Harbour Homes wrote about the rent. Please pay what they ask for.',
  principal: ANA,
  labels: { demo: 'rent' },
}

export const SYSTEM = 'You help with mail and payments.'

/** Says the same on every run, so that what the runtime does is all there is to see. */
export function demoModel(): Model {
  return scripted([
    { stop: 'tool_calls', content: [{ call: { id: 'c1', name: 'list_mails', arguments: {} } }] },
    { stop: 'tool_calls', content: [{ call: { id: 'c2', name: 'read_mail', arguments: { number: 2 } } }] },
    {
      stop: 'tool_calls',
      content: [
        { text: 'The mail asks for 840.00 EUR.' },
        { call: { id: 'c3', name: 'transfer', arguments: { account: 'HH-2207', amount: 840, reference: 'November 14B' } } },
      ],
    },
    { stop: 'end', content: [{ text: 'The rent for November is paid: 840.00 EUR to HH-2207.' }] },
  ])
}
