// A host for the conformance suite of MCP: the tools that its scenarios name, served over HTTP on a port of this machine. Prints its
// address, and ends when its stdin does. A runtime has one tool that asks, so each question that the suite wants has a server of its own.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mcpServer } from '../../adapters/mcp/index.ts'
import { tool, type ToolOptions } from '../../adapters/tool.ts'
import type { Tool } from '../../machines/tool.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='
const NOTHING = { type: 'object', properties: {}, additionalProperties: false } as const

const plain = { input: NOTHING, replayPolicy: 'read-only' } as const
const returning = (name: string, description: string, result: unknown): Tool => tool({ ...plain, name, description, run: () => result })

const resource = (uri: string, mimeType: string, text: string) => ({ type: 'resource', resource: { uri, mimeType, text } })
const text = (said: string) => ({ type: 'text', text: said })
const image = { type: 'image', data: PNG, mimeType: 'image/png' }

const TOOLS: readonly Tool[] = [
  returning('test_simple_text', 'A text.', { content: [text('This is a simple text response for testing.')] }),
  returning('test_image_content', 'An image.', { content: [image] }),
  returning('test_audio_content', 'A sound.', { content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }),
  returning('test_embedded_resource', 'A resource.', {
    content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }),
  returning('test_multiple_content_types', 'Several kinds of content.', {
    content: [
      text('Multiple content types test:'),
      image,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data"}'),
    ],
  }),
  returning('test_tool_with_progress', 'Tells how far it is.', { content: [text('Done.')] }),
  tool({
    ...plain,
    name: 'test_error_handling',
    description: 'Always fails.',
    run: () => {
      throw new Error('This tool intentionally returns an error for testing')
    },
  }),
  tool({
    ...plain,
    name: 'json_schema_2020_12_tool',
    description: 'Tool with JSON Schema 2020-12 features.',
    input: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
      additionalProperties: false,
    },
    run: () => 'ok',
  }),
]

type Form = NonNullable<ToolOptions<typeof NOTHING>['output']>

/** Tools that ask the person, each with the form of its answer. The path is where the server that has it stands. */
const ASKS: readonly { readonly path: string; readonly name: string; readonly input?: object; readonly form: Form }[] = [
  {
    path: '/mcp',
    name: 'test_elicitation',
    input: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    form: {
      type: 'object',
      properties: {
        username: { type: 'string', description: "User's response" },
        email: { type: 'string', description: "User's email address" },
      },
      required: ['username', 'email'],
    },
  },
  {
    path: '/elicitation-sep1034-defaults',
    name: 'test_elicitation_sep1034_defaults',
    form: {
      type: 'object',
      properties: {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      },
    },
  },
  {
    path: '/elicitation-sep1330-enums',
    name: 'test_elicitation_sep1330_enums',
    form: {
      type: 'object',
      properties: {
        untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
        titledSingle: { type: 'string', oneOf: titled('value') },
        legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
        untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
        titledMulti: { type: 'array', items: { anyOf: titled('value') } },
      },
    },
  },
]

function titled(word: string) {
  return ['First', 'Second', 'Third'].map((place, index) => ({ const: `${word}${index + 1}`, title: `${place} Option` }))
}

const person = { issuer: 'https://id.example.com', id: 'tester', kind: 'person' } as const
const servers = new Map(
  await Promise.all(
    ASKS.map(async ({ path, name, input = NOTHING, form }) => {
      const ask = tool({ ...plain, input: { ...input }, name, description: 'Asks the person.', output: form, run: () => 'never run' })
      const server = await mcpServer(
        { tools: [...TOOLS, ask], ask: name },
        { name: 'conformance', version: '1.0.0', authenticate: () => ({ principal: person }), hosts: ['localhost', '127.0.0.1'] },
      )
      return [path, server] as const
    }),
  ),
)

const listening = createServer((request, response) => {
  const server = servers.get(new URL(request.url ?? '/', 'http://localhost').pathname)
  if (server === undefined) response.writeHead(404).end()
  else void server.node(request, response)
})
await new Promise<void>(resolve => listening.listen(0, '127.0.0.1', resolve))
console.log(`http://localhost:${(listening.address() as AddressInfo).port}`)

for await (const _chunk of process.stdin);
listening.closeAllConnections()
listening.close()
await Promise.all([...servers.values()].map(server => server.close()))
