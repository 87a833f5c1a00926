// The model as one process reaches it. Asked again it may say something else; it may fail, be slow, or never answer.

import { canonicalJson } from '../../machines/json.ts'
import { pairingProblems } from '../../machines/pairing.ts'
import type { AskContext, Model, ModelFailure, ModelRequest, ModelRound } from '../../machines/ports/model.ts'
import type { Answers } from './answers.ts'
import type { Process } from './process.ts'
import { digestWithout, roundName } from './records.ts'
import { SECRET, shortName, type Stage } from './stage.ts'

/** @param asked rounds that were asked for so far, over all processes of a run */
export function modelPort(stage: Stage, process: Process, answers: Answers, asked: Set<string>): Model {
  return {
    name: 'simulated',
    capabilities: { toolCalls: 'native', enforcedOutput: true },
    ask: (request, context) => {
      if (context.signal.aborted) return Promise.reject(new Error('The ask was aborted before it was sent.'))
      for (const rule of brokenAsk(stage, request, context, asked))
        stage.broken(`${shortName(context.turnId)} round ${context.round}: ${rule}`)
      const { turnId, round, signal } = context
      const comesBack = stage.errands.begin({ turnId, process, signal, what: `the ask of round ${round}` })
      const answered = process.line('ask', () => answer(stage, process, answers, request, context))
      return Promise.race([answered, whenAborted(signal)]).finally(comesBack)
    },
  }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('The ask was aborted.')), { once: true }))
}

/** What must be so in the moment the model is asked. */
function brokenAsk(stage: Stage, request: ModelRequest, context: AskContext, asked: Set<string>): readonly string[] {
  const { turnId, attempt, round } = context
  const record = stage.records.of(turnId)
  const text = canonicalJson(request)
  const marks = [...text.matchAll(/<(?:round|result) of (\S+) attempt (\d+)>/g)]
  const foreign = marks.filter(([, of, number]) => of === turnId && Number(number) !== attempt)
  const once = record?.state.opened.providerTools.some(tool => tool.replayPolicy !== 'read-only') === true
  const name = `${turnId} ${roundName(attempt, round)}`
  const again = asked.has(name)
  asked.add(name)
  return [
    record?.requests.get(roundName(attempt, round)) !== digestWithout(record?.kept ?? new Set(), request) &&
      'D2: asked with something else than what is committed',
    pairingProblems(request.messages).length > 0 && 'B3: a call of the transcript has not exactly one result',
    foreign.length > 0 && 'D7: a record of another attempt is served',
    text.includes(SECRET) && 'D11: a secret is sent to the model',
    once && again && 'F5: a round with effects is asked for twice',
    once && record?.state.chart.context.requested !== true && 'F5: a round with effects is asked for before that is committed',
  ].filter(broken => broken !== false)
}

async function answer(stage: Stage, process: Process, answers: Answers, request: ModelRequest, context: AskContext): Promise<ModelRound> {
  const { chance, plan, time, trace, isCalm } = stage
  const draw = chance.part(`ask/${context.turnId}/${context.attempt}/${context.round}/${context.try}/${time.now()}`)
  const name = `ask ${shortName(context.turnId)} round ${context.round} try ${context.try}`
  if (!isCalm() && draw.hit(plan.hangs / 3)) {
    trace.say(process.name, `${name}: no answer`)
    return new Promise(() => {})
  }
  await time.pass(draw.one([0, 10, 300, draw.hit(plan.hangs) ? 20_000 : 1_500]))
  if (draw.hit(plan.modelFails)) {
    const failed = drawFailure(draw)
    trace.say(process.name, `${name}: ${failed.kind} ${failed.status ?? ''}`)
    throw failed
  }
  const round = answers.next(request, context)
  const calls = round.items.flatMap(item => (item.kind === 'call' ? [`${item.name}(${item.arguments ?? ''})`] : []))
  trace.say(process.name, `${name}: ${round.completion} ${calls.join(' ')}`)
  for (const item of round.items) if (item.kind === 'text' && !process.life.isDead()) context.onDelta({ kind: 'text', text: item.text })
  return round
}

function drawFailure(draw: Stage['chance']): Error & ModelFailure {
  const kind = draw.weighted({ http: 5, timeout: 2, reset: 2, protocol: 0.5 })
  const rejected = kind === 'http' && draw.hit(0.1)
  const final = rejected || kind === 'protocol'
  const code = kind === 'protocol' ? 'model_protocol_violation' : rejected ? 'model_request_rejected' : 'model_unavailable'
  const status = kind === 'http' ? { status: rejected ? 400 : 529 } : {}
  const retry = draw.hit(0.2) ? { retryAfterMs: 3_000 } : {}
  return Object.assign(new Error('The simulated model fails.'), {
    modelFailure: true as const,
    kind,
    final,
    code,
    message: 'It fails.',
    ...status,
    ...retry,
  } as const)
}
