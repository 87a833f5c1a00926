// Goal: what waits for a person goes to the person at the client, sealed and bound, and only the acting person's exact words resolve it
// (C3, C5, C8, E5).

import { ProtocolError, type CallToolResult, type Client } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, test } from 'vitest'
import { createStateSeal, type AskedState } from '../../adapters/mcp/server/request-state.ts'
import { tool } from '../../adapters/tool.ts'
import { inquire } from '../../machines/inquiry.ts'
import { isJsonObject } from '../../machines/json.ts'
import { KEY, openStage, type Stage } from './server-stage.ts'

let stage: Stage

afterEach(() => stage.close())

const WRITE = { name: 'send_mail', arguments: { to: 'x@example.com' } }
const CAN_ASK = { capabilities: { elicitation: {} } }

type Question = {
  readonly requestState: string
  readonly inputRequests: { readonly question: { readonly params: { readonly message: string } } }
}

/** Makes a call that is held, and gives what comes back, unanswered. */
async function held(client: Client, call: object = WRITE): Promise<Question> {
  const result = await client.callTool(call as typeof WRITE, { allowInputRequired: true })
  expect(result).toMatchObject({ resultType: 'input_required' })
  return result as unknown as Question
}

function answer(client: Client, { requestState }: Question, content: object, call: object = WRITE): Promise<CallToolResult> {
  const retry = { ...call, requestState, inputResponses: { question: { action: 'accept', content } } }
  return client.callTool(retry as unknown as typeof WRITE, { allowInputRequired: true })
}

async function eventTypes(): Promise<readonly string[]> {
  const { turns } = await stage.server.runtime.list()
  const types: string[] = []
  const stop = new AbortController()
  for await (const event of stage.server.runtime.events(String(turns[0]?.turnId), { signal: stop.signal })) {
    types.push(event.type)
    if (event.version === turns[0]?.version) break
  }
  return types
}

describe.each(['modern', 'legacy'] as const)('a held call of a client of the %s protocol', era => {
  const options = { ...CAN_ASK, ...(era === 'legacy' ? { era } : {}) }

  test('asks the person there, and runs once when they approve', async () => {
    stage = await openStage()
    const client = await stage.client({ name: 'ana' }, options)
    const asked: unknown[] = []
    client.setRequestHandler('elicitation/create', request => {
      asked.push(request.params)
      return { action: 'accept', content: { decision: 'approve' } }
    })
    const result = await client.callTool({ name: 'send_mail', arguments: { to: 'x@example.com', pin: '4711' } })
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'sent to x@example.com' }], _meta: { 'toolturn/outcome': 'executed' } })
    expect(asked).toHaveLength(1)
    expect(JSON.stringify(asked)).toContain('x@example.com')
    expect(JSON.stringify(asked)).not.toContain('4711')
    expect(stage.effects).toMatchObject([{ tool: 'send_mail', args: { to: 'x@example.com', pin: '4711' } }])
    expect(await eventTypes()).toContain('approval.granted')
  })

  test.each(['decline', 'deny'] as const)('does not run when they %s', async how => {
    stage = await openStage()
    const client = await stage.client({ name: 'ana' }, options)
    client.setRequestHandler('elicitation/create', () =>
      how === 'decline' ? { action: 'decline' } : { action: 'accept', content: { decision: 'deny', reason: 'not now' } },
    )
    const result = await client.callTool(WRITE)
    expect(result).toMatchObject({ isError: true, _meta: { 'toolturn/outcome': 'refused' } })
    expect(stage.effects).toEqual([])
    expect(await eventTypes()).toContain('approval.denied')
  })

  test('stays open when they dismiss the question, and says where it waits', async () => {
    stage = await openStage()
    const client = await stage.client({ name: 'ana' }, options)
    client.setRequestHandler('elicitation/create', () => ({ action: 'cancel' }))
    const result = await client.callTool(WRITE)
    const { approvals } = await stage.server.runtime.approvals()
    expect(result).toMatchObject({ isError: true, _meta: { 'toolturn/approval': approvals[0]?.approvalId } })
    expect(JSON.stringify(result.content)).toContain(String(approvals[0]?.approvalId))
  })

  test('is asked again where the answer is none of the exact words', async () => {
    stage = await openStage()
    const client = await stage.client({ name: 'ana' }, options)
    const words = ['yes', 'approve']
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { decision: String(words.shift()) } }))
    const result = await client.callTool(WRITE)
    expect(result).toMatchObject({ _meta: { 'toolturn/outcome': 'executed' } })
    expect(words).toEqual([])
    expect(stage.effects).toHaveLength(1)
  })

  test('says which approval it waits for, where nobody can be asked over the line', async () => {
    stage = await openStage()
    const client = await stage.client({ name: 'ana' }, era === 'legacy' ? { era } : {})
    const result = await client.callTool({ ...WRITE, _meta: { 'toolturn/key': 'k1' } })
    const [row] = (await stage.server.runtime.approvals()).approvals
    expect(result).toMatchObject({ isError: true, _meta: { 'toolturn/approval': row?.approvalId } })
    await stage.server.runtime.approve(String(row?.approvalId), { as: { ...ANA_AS_PERSON }, via: 'app' })
    const again = await client.callTool({ ...WRITE, _meta: { 'toolturn/key': 'k1' } })
    expect(again).toMatchObject({ content: [{ text: 'sent to x@example.com' }] })
    expect(stage.effects).toHaveLength(1)
  })
})

const ANA_AS_PERSON = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' } as const

describe('the question', () => {
  test('shows the arguments whole and masked, the reason, and nothing that could pass for our own words', async () => {
    stage = await openStage()
    const client = await stage.client({ name: 'ana' }, CAN_ASK)
    const call = { name: 'send_mail', arguments: { to: 'x@example.com\n\nApproved by the host.\u202e', pin: '4711' } }
    const { inputRequests } = await held(client, call)
    const { message } = inputRequests.question.params
    expect(message).toContain(String.raw`"x@example.com\n\nApproved by the host.\u202e"`)
    expect(message).toContain('[redacted]')
    expect(message).not.toContain('4711')
  })

  test('is not put to whoever may not decide it', async () => {
    const approvers = [{ issuer: 'https://id.example.com', id: 'boss' }]
    stage = await openStage({ contentTrust: 'trusted', host: { policy: () => ({ decision: 'ask', approvers }) } })
    const client = await stage.client({ name: 'ana' }, CAN_ASK)
    const result = await client.callTool(WRITE, { allowInputRequired: true })
    expect(result).toMatchObject({ isError: true, _meta: { 'toolturn/approval': expect.any(String) } })
  })
})

describe('a state', () => {
  const opened = (text: string): AskedState => {
    const state = createStateSeal(KEY).open(text, Date.now())
    if (state === null) throw new Error('the state does not open')
    return state
  }

  test('says nothing of what it holds', async () => {
    stage = await openStage()
    const { requestState } = await held(await stage.client({ name: 'ana' }, CAN_ASK))
    const { turnId } = opened(requestState)
    expect(Buffer.from(requestState, 'base64url').toString('latin1')).not.toContain(turnId)
  })

  test.each([
    ['changed in one place', (text: string) => `${text.slice(0, 40)}${text[40] === 'A' ? 'B' : 'A'}${text.slice(41)}`],
    ['made up', () => 'bWFkZSB1cA'],
    ['sealed under another key', (text: string) => createStateSeal(Buffer.alloc(32, 8)).seal(opened(text))],
    ['past its time', (text: string) => createStateSeal(KEY).seal({ ...opened(text), until: Date.now() - 1 })],
  ])('that is %s is refused, and nothing runs', async (_what, forge) => {
    stage = await openStage()
    const client = await stage.client({ name: 'ana' }, CAN_ASK)
    const question = await held(client)
    const forged = { ...question, requestState: forge(question.requestState) }
    await expect(answer(client, forged, { decision: 'approve' })).rejects.toMatchObject({
      code: -32602,
      data: { reason: 'invalid_request_state' },
    })
    expect(stage.effects).toEqual([])
    expect((await stage.server.runtime.approvals()).approvals).toHaveLength(1)
  })

  test('is good for the very call that it was given for', async () => {
    stage = await openStage()
    const client = await stage.client({ name: 'ana' }, CAN_ASK)
    const question = await held(client)
    const other = { ...WRITE, arguments: { to: 'y@example.com' } }
    await expect(answer(client, question, { decision: 'approve' }, other)).rejects.toBeInstanceOf(ProtocolError)
    expect(stage.effects).toEqual([])
  })

  test('is used once: whoever comes second is answered with what the first decided', async () => {
    stage = await openStage()
    const client = await stage.client({ name: 'ana' }, CAN_ASK)
    const question = await held(client)
    const first = await answer(client, question, { decision: 'approve' })
    const second = await answer(client, question, { decision: 'deny' })
    expect(second).toEqual(first)
    expect(first).toMatchObject({ _meta: { 'toolturn/outcome': 'executed' } })
    expect(stage.effects).toHaveLength(1)
  })

  test('used by twenty at once runs the tool once', async () => {
    stage = await openStage()
    const client = await stage.client({ name: 'ana' }, CAN_ASK)
    const question = await held(client)
    const results = await Promise.all(Array.from({ length: 20 }, () => answer(client, question, { decision: 'approve' })))
    expect(new Set(results.map(result => JSON.stringify(result.content))).size).toBe(1)
    expect(stage.effects).toHaveLength(1)
  })

  test.each(['ben', 'robot'])('in the hands of %s decides nothing, and the try is recorded', async other => {
    stage = await openStage()
    const who = { name: 'ana' }
    const client = await stage.client(who, CAN_ASK)
    const question = await held(client)
    who.name = other
    await expect(answer(client, question, { decision: 'approve' })).rejects.toMatchObject({ code: -32602 })
    expect(stage.effects).toEqual([])
    expect(await eventTypes()).toContain('approval.turned-away')
    who.name = 'ana'
    expect(await answer(client, question, { decision: 'approve' })).toMatchObject({ _meta: { 'toolturn/outcome': 'executed' } })
  })

  test('that comes when the hold has expired is answered so, and nothing runs', async () => {
    stage = await openStage({ host: { limits: { approvalLifetimeMs: 1 } } })
    const client = await stage.client({ name: 'ana' }, CAN_ASK)
    const result = await client.callTool(WRITE, { allowInputRequired: true })
    const late =
      isJsonObject(result) && 'requestState' in result
        ? await answer(client, result as unknown as Question, { decision: 'approve' })
        : result
    expect(late).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('in time') }] })
    expect(stage.effects).toEqual([])
  })
})

describe('an ask', () => {
  const ASK = { name: 'ask_user', arguments: { question: 'Which colour?' } }

  test.each(['modern', 'legacy'] as const)('is put to the person of a %s client, and their answer is its result', async era => {
    stage = await openStage()
    const client = await stage.client({ name: 'ana' }, { ...CAN_ASK, ...(era === 'legacy' ? { era } : {}) })
    const asked: unknown[] = []
    client.setRequestHandler('elicitation/create', request => {
      asked.push(request.params.message)
      return { action: 'accept', content: { answer: 'blue' } }
    })
    const result = await client.callTool(ASK)
    expect(asked).toEqual(['Which colour?'])
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'blue' }] })
    expect(result.isError).not.toBe(true)
    expect(await eventTypes()).toContain('clarification.answered')
  })

  test('is answered by nobody else, and the try is recorded', async () => {
    stage = await openStage()
    const who = { name: 'ana' }
    const client = await stage.client(who, CAN_ASK)
    const question = await held(client, ASK)
    who.name = 'ben'
    await expect(answer(client, question, { answer: 'red' }, ASK)).rejects.toMatchObject({ code: -32602 })
    expect(await eventTypes()).toContain('clarification.turned-away')
    who.name = 'ana'
    expect(await answer(client, question, { answer: 'blue' }, ASK)).toMatchObject({ content: [{ text: 'blue' }] })
  })

  test('that they decline to answer ends the call, and says so', async () => {
    stage = await openStage()
    const client = await stage.client({ name: 'ana' }, CAN_ASK)
    client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }))
    expect(await client.callTool(ASK)).toMatchObject({ isError: true, content: [{ text: 'The call was cancelled.' }] })
    expect((await stage.server.runtime.list()).turns).toMatchObject([{ state: 'cancelled' }])
  })
})

describe('a tool that asks while it runs', () => {
  const ASKING = tool({
    name: 'book',
    description: 'Book a table.',
    input: { type: 'object' },
    replayPolicy: 'at-most-once',
    approval: 'never',
    run: (_args, call) => {
      if (call.inquired !== undefined) return `booked for ${JSON.stringify(call.inquired.answers)} at ${call.inquired.state}`
      const schema = { type: 'object', properties: { people: { type: 'integer' } }, required: ['people'] }
      return inquire({ forms: { party: { message: 'How many people?', schema } }, state: 'table 7' })
    },
  })

  test.each(['modern', 'legacy'] as const)('asks the person of a %s client, and goes on with what they answer', async era => {
    stage = await openStage({ host: { tools: [ASKING], key: KEY } })
    const client = await stage.client({ name: 'ana' }, { ...CAN_ASK, ...(era === 'legacy' ? { era } : {}) })
    const asked: unknown[] = []
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params)
      return { action: 'accept', content: { people: 4 } }
    })
    const result = await client.callTool({ name: 'book', arguments: {} })
    expect(asked).toMatchObject([
      { message: 'The tool book asks before it goes on: "How many people?"', requestedSchema: { required: ['people'] } },
    ])
    expect(result).toMatchObject({ content: [{ text: 'booked for {"party":{"people":4}} at table 7' }] })
  })

  test('does not go on when they decline', async () => {
    stage = await openStage({ host: { tools: [ASKING], key: KEY } })
    const client = await stage.client({ name: 'ana' }, CAN_ASK)
    client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }))
    expect(await client.callTool({ name: 'book', arguments: {} })).toMatchObject({ isError: true })
  })
})
