// A fetch whose answers end: no server fills the memory of a host by an answer without end.

type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>

/** Bytes of one answer; a stream of notices that runs longer is opened again. */
const MOST_BYTES = 33_554_432

/** The same answers, each cut off with an error behind so many bytes. */
export function boundedFetch(mostBytes: number = MOST_BYTES): Fetch {
  return async (input, init) => {
    const answer = await fetch(input, init)
    if (answer.body === null) return answer
    const { status, statusText, headers } = answer
    return new Response(answer.body.pipeThrough(counting(mostBytes)), { status, statusText, headers })
  }
}

function counting(mostBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > mostBytes) controller.error(new Error('the answer is larger than what is taken'))
      else controller.enqueue(chunk)
    },
  })
}
