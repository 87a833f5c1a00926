// What an adapter's tests are written in: what a model says, in no provider's words, and the driver that says it in a provider's own.

import type { Model } from '../../machines/ports/model.ts'
import type { Answer } from './wire.ts'

/** One response. Texts of arguments are raw, as the model wrote them. */
export type Said = {
  readonly text?: string
  /** Behind the text, in this order. */
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[]
  /** `unknown`: a stop word that nobody knows. */
  readonly stop: 'end' | 'calls' | 'length' | 'refusal' | 'unknown'
}

/** A provider's adapter, and its provider's side of the wire. */
export type Driver = {
  /** The adapter, with the provider's own client, bound to a wire. Options that are not named have their defaults. */
  readonly model: (options: {
    readonly baseURL: string
    readonly apiKey: string
    readonly stream: boolean
    readonly stallMs: number
  }) => Model
  /** The response in one body. A refusal without text has none. */
  readonly whole: (said: Said) => Answer
  /** The same response as a stream; without its last piece it is not whole, and argument text comes in several pieces. */
  readonly streamed: (said: Said) => Answer
  /** The client parses the argument texts of a whole response and writes them anew: only texts that survive that can be the same. */
  readonly rewrites?: true
  /** Fields that only requests for a stream have, beside `stream` and `stream_options`. */
  readonly ofStreams?: readonly string[]
  /** The body of an error with this message in it. */
  readonly errorBody: (message: string) => string
  /** Answers that say that the request is longer than the model's context. */
  readonly tooLong: readonly Answer[]
  /** The names of the tools in a request that was sent. */
  readonly toolNames: (body: unknown) => readonly string[]
}

/** Of all kinds of response one. */
export const SAYINGS: Readonly<Record<string, Said>> = {
  'text': { text: 'Grüße, 你好 👋 "quoted"\n', stop: 'end' },
  'two calls beside text': {
    text: 'One moment. ',
    calls: [
      { id: 'c1', name: 'find_order', arguments: '{"id": 1234567890123456789,  "note": "a\\u0041ü"}' },
      { id: 'c2', name: 'refund', arguments: '{"id":"42","amount":1.50}' },
    ],
    stop: 'calls',
  },
  'two calls of one tool': {
    calls: [
      { id: 'c1', name: 'find_order', arguments: '{"id":"1"}' },
      { id: 'c2', name: 'find_order', arguments: '{"id":"2"}' },
    ],
    stop: 'calls',
  },
  'a call that repeats a key': { calls: [{ id: 'c1', name: 'refund', arguments: '{"id":"1","id":"2"}' }], stop: 'calls' },
  'a call whose stop word says that it ended': { calls: [{ id: 'c1', name: 'refund', arguments: '{"id":"1"}' }], stop: 'end' },
  'a response that ran out of room': { text: 'I will', calls: [{ id: 'c1', name: 'refund', arguments: '{"id":"1"}' }], stop: 'length' },
  'a refusal': { text: 'I cannot help with that.', stop: 'refusal' },
  'a stop word that nobody knows': { calls: [{ id: 'c1', name: 'refund', arguments: '{"id":"1"}' }], stop: 'unknown' },
}

/** Whether argument texts are the same after a client parsed them and wrote them anew. */
export function survives({ calls = [] }: Said): boolean {
  return calls.every(({ arguments: text }) => JSON.stringify(JSON.parse(text)) === text)
}
