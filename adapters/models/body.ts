// The body of a response under watch: every piece is heard, its size has a bound, and a connection that ends is said to.

import { ReadableStream } from 'node:stream/web'
import { isModelFailure } from '../../machines/ports/model.ts'
import { cutOff, protocolViolation } from './failure.ts'

/** More than any response that could be recorded. */
const MOST_BYTES = 33_554_432

/**
 * The same response, to be read as if it were the first one.
 *
 * @param who is named in a failure, e.g. `Anthropic`
 * @param heard called for each piece
 */
export function watched(response: Response, who: string, heard: () => void): Response {
  return new Response(ReadableStream.from(pieces(response, who, heard)) as BodyInit)
}

async function* pieces({ body }: Response, who: string, heard: () => void): AsyncGenerator<Uint8Array> {
  let bytes = 0
  try {
    for await (const piece of body ?? []) {
      heard()
      bytes += piece.byteLength
      if (bytes > MOST_BYTES) throw protocolViolation(`The response of ${who} is over the size that is taken in.`)
      yield piece
    }
  } catch (thrown) {
    if (isModelFailure(thrown)) throw thrown
    throw cutOff(who)
  }
}
