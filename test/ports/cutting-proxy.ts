// A proxy in front of a Postgres that cuts connections at a chosen point of a statement.

import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/**
 * - `before`: nothing of the statement reaches the server.
 * - `within`: half of its bytes do.
 * - `after`: all of them do; the server has answered, and the answer is lost.
 */
export type Cut = 'before' | 'within' | 'after'

export type CuttingProxy = {
  readonly url: string
  /** Cuts the next connection on which a text with this mark is sent. Resolves when it was cut. */
  readonly cutNext: (cut: Cut, mark: string) => Promise<void>
  readonly close: () => Promise<void>
}

type Order = { readonly cut: Cut; readonly mark: string; readonly done: () => void }

export async function cuttingProxy(postgres: string): Promise<CuttingProxy> {
  const target = new URL(postgres)
  const [host, port] = [target.hostname, Number(target.port || 5432)]
  const sockets = new Set<Socket>()
  let order: Order | undefined

  const server: Server = createServer(client => {
    const upstream = connect(port, host)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
    }
    const end = () => {
      client.destroy()
      upstream.destroy()
    }
    client.on('close', end)
    upstream.on('close', end)
    let swallow: (() => void) | undefined
    upstream.on('data', data => (swallow === undefined ? client.write(data) : swallow()))
    client.on('data', data => {
      const met = order !== undefined && data.includes(order.mark) ? order : undefined
      if (met === undefined) return upstream.write(data)
      order = undefined
      const cut = () => {
        end()
        met.done()
      }
      switch (met.cut) {
        case 'before':
          return cut()
        case 'within':
          return upstream.write(data.subarray(0, Math.floor(data.length / 2)), cut)
        case 'after':
          swallow = cut
          return upstream.write(data)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  target.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: target.href,
    cutNext: (cut, mark) =>
      new Promise(done => {
        order = { cut, mark, done: () => done() }
      }),
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
