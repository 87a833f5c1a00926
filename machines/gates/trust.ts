// Gate 4: the turn's content-trust bit. It never refuses on its own; it decides who may approve (C1). What the model says of
// trust or provenance is data like any other argument (C2).

import { pass, type Gate } from './gate.ts'

export const trustGate: Gate = {
  name: 'trust',
  judge: (subject, view) => pass({ ...subject, contentTrust: view.contentTrust }),
}
