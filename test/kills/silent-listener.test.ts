// Goal: a session that listens for wake-ups and has died without a word delays work by no more than the polling that is the floor, and
// does not hold up the end either.

import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { createRuntime } from '../../adapters/host.ts'
import { scripted } from '../../adapters/models/scripted.ts'
import { tool } from '../../adapters/tool.ts'
import { approvalId } from '../../machines/ids.ts'
import { postgres as at } from '../../store/postgres.ts'
import { describeWithPostgres, freshSchema } from '../servers.ts'
import { ANA, callOnce } from './generations.ts'

describeWithPostgres('a worker whose listening session is half open', postgres => {
  const leaving = new AsyncDisposableStack()
  afterAll(() => leaving.disposeAsync())

  it('finds what others opened and decided, by looking, and can be closed', async () => {
    const schema = freshSchema()
    const proxy = await deafProxy(postgres, leaving)
    const pay = tool({ name: 'pay', description: 'Pays.', input: true, replayPolicy: 'idempotent', approval: 'always', run: () => 'paid' })
    const options = { model: scripted(callOnce('pay')), tools: [pay] }
    const worker = await createRuntime({ ...options, store: at(proxy.url, { schema, migrate: true }) })
    leaving.defer(() => worker.close())
    const web = await createRuntime({ ...options, drive: false, store: at(postgres, { schema }) })
    leaving.defer(() => web.close())
    await proxy.listening

    const turn = await web.spawn({ input: 'Pay.', principal: ANA })
    expect(await turn.result()).toMatchObject({ state: 'holding' })
    await web.approve(approvalId(turn.id, 1, 1), { as: ANA, via: 'app' })
    for await (const _event of turn.events());
    expect(await turn.result()).toMatchObject({ state: 'completed' })
    expect(proxy.swallowed()).toBeGreaterThan(0)
    await worker.close()
  })
})

/** A proxy that lets everything through, but of a session that listens nothing more, either way, not even its end. */
async function deafProxy(postgres: string, leaving: AsyncDisposableStack) {
  const target = new URL(postgres)
  const [host, port] = [target.hostname, Number(target.port || 5432)]
  const sockets = new Set<Socket>()
  const listening = Promise.withResolvers<void>()
  let swallowed = 0
  const server = createServer({ allowHalfOpen: true }, client => {
    const upstream = connect(port, host)
    let listens = false
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => undefined))
    client.on('data', data => listens || upstream.write(data))
    client.on('data', data => {
      listens ||= data.includes('listen "')
      if (listens) listening.resolve()
    })
    upstream.on('data', data => (listens ? (swallowed += data.length) : client.write(data)))
    client.on('end', () => listens || upstream.end())
    upstream.on('end', () => listens || client.end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  leaving.defer(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  target.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url: target.href, listening: listening.promise, swallowed: () => swallowed }
}
