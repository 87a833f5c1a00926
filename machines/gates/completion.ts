// Gate 1: how the round ended. Truncated arguments never run, however complete they look; a refusal is not retried (B4, B5).

import { truncatedText, refusedRoundText } from '../repair.ts'
import { invalid, pass, refused, type Gate } from './gate.ts'

export const completionGate: Gate = {
  name: 'completion',
  judge(subject, view) {
    switch (view.completion) {
      case 'clean':
      case 'paused':
        return pass(subject)
      case 'truncated':
        return invalid('truncated', truncatedText())
      case 'refused':
        return refused('refused-round', refusedRoundText())
    }
  },
}
