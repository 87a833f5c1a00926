// Gate 2: the name, byte-equal, in the turn's frozen catalog. No prefix, case or fuzzy match ever executes.

import { quarantinedText, unknownNameText } from '../repair.ts'
import { invalid, pass, type Gate } from './gate.ts'

export const nameGate: Gate = {
  name: 'name',
  judge(subject, view) {
    const descriptor = view.state.catalog.get(subject.name)
    if (descriptor === undefined) {
      const reason = view.host.tools.has(subject.name) ? 'not-offered' : 'unknown-name'
      return invalid(reason, unknownNameText(subject.name, [...view.state.catalog.keys()]))
    }
    if (descriptor.quarantined !== undefined) return invalid('quarantined', quarantinedText())
    return pass({ ...subject, descriptor })
  },
}
