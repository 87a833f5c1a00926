// Gate 7: the copy that is recorded, published, shown and sent back to the model. It stops only a call that would have to wait
// and whose real arguments could not be kept meanwhile (D11).

import { isJsonObject, type JsonObject } from '../json.ts'
import type { Redactor } from '../ports/world.ts'
import { cannotSealText } from '../repair.ts'
import type { ToolDescriptor } from '../tool.ts'
import { needed, pass, refused, type Gate } from './gate.ts'

export const redactionGate: Gate = {
  name: 'redaction',
  judge(subject, view) {
    const { redacted, masked } = redactArguments(view.host.redactor, needed(subject, 'descriptor'), needed(subject, 'prepared'))
    if (masked && subject.question !== undefined && !view.host.canSeal) return refused('cannot-be-sealed', cannotSealText())
    return pass({ ...subject, redacted, masked })
  },
}

/** The redacted copy of prepared arguments, and whether it differs. */
export function redactArguments(
  redactor: Redactor,
  descriptor: ToolDescriptor,
  prepared: JsonObject,
): { readonly redacted: JsonObject; readonly masked: boolean } {
  const { value, changed } = redactor.value(prepared, descriptor.inputSchema)
  if (!changed) return { redacted: prepared, masked: false }
  // A redactor that gives no object back leaves nothing that could be shown.
  return { redacted: isJsonObject(value) ? value : {}, masked: true }
}
