// A host for the conformance suite of MCP: takes the tools of the server that it is given, and calls each of them in a turn. The suite
// starts it with the server's address, and says in the environment which scenario it plays.

import {
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  PrivateKeyJwtProvider,
  requestJwtAuthorizationGrant,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client'
import { mcp } from '../../adapters/mcp/index.ts'
import { createRuntime } from '../../adapters/host.ts'
import { scripted } from '../../adapters/models/scripted.ts'
import type { JsonObject } from '../../machines/json.ts'
import type { ToolSource } from '../../machines/ports/source.ts'
import { personAt, type Person } from './conformance-person.ts'

const url = process.argv.at(-1) ?? ''
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? ''
const given = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as { readonly [name: string]: string }
const text = (name: string): string => given[name] ?? ''

const DOCUMENT = 'https://conformance-test.local/client-metadata.json'
/** Arguments of the tools that need some. */
const ARGUMENTS: { readonly [tool: string]: JsonObject } = { add_numbers: { a: 5, b: 3 } }
/** Tries of one step: a person who is sent to sign in comes back and tries again, but not for ever. */
const TRIES = 3

const person = personAt(
  scenario === 'auth/pre-registration' ? { client_id: text('client_id'), client_secret: text('client_secret') } : undefined,
  scenario === 'auth/basic-cimd' ? DOCUMENT : undefined,
)

function providerFor(): OAuthClientProvider {
  const client = { clientId: text('client_id'), clientSecret: text('client_secret') }
  switch (scenario) {
    case 'auth/client-credentials-basic':
      return new ClientCredentialsProvider(client)
    case 'auth/client-credentials-jwt':
      return new PrivateKeyJwtProvider({
        clientId: client.clientId,
        privateKey: text('private_key_pem'),
        algorithm: text('signing_algorithm'),
      })
    case 'auth/cross-app-access-complete-flow':
      return new CrossAppAccessProvider({ ...client, assertion: grantFromEmployer })
    default:
      return person
  }
}

async function grantFromEmployer(target: { readonly authorizationServerUrl: string; readonly resourceUrl: string }): Promise<string> {
  const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
    tokenEndpoint: text('idp_token_endpoint'),
    audience: target.authorizationServerUrl,
    resource: target.resourceUrl,
    idToken: text('idp_id_token'),
    clientId: text('idp_client_id'),
  })
  return jwtAuthGrant
}

/** Tries a step, and again whenever the person was sent away to sign in and came back. */
async function withPerson<T>(step: () => Promise<T>, isDone: (done: T) => boolean): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const done = await step().catch(async (error: unknown) => {
      if (tries >= TRIES || !(await (person satisfies Person).comeBack(url))) throw error
      return null
    })
    if (done === null) continue
    if (isDone(done) || tries >= TRIES || !(await person.comeBack(url))) return done
  }
}

/** Calls one tool in a turn of its own. True when it gave a result. */
async function called(source: ToolSource, name: string): Promise<boolean> {
  const model = scripted([
    { stop: 'tool_calls', content: [{ call: { name, arguments: ARGUMENTS[name] ?? {} } }] },
    { stop: 'end', content: [] },
  ])
  // The source is closed when all of its tools were called, and not with the first runtime that has it.
  const runtime = await createRuntime({ model, tools: [{ ...source, close: async () => {} }] })
  const turn = await runtime.spawn({ input: 'Call it.', principal: null })
  await turn.result()
  const messages = JSON.stringify(await runtime.messages(turn.id))
  await runtime.close()
  return !messages.includes('"isError":true')
}

const authProvider = providerFor()
const source = await withPerson(
  () => mcp({ name: 'suite', url, authProvider, defaults: { approval: 'never' } }),
  () => true,
)
for (const { descriptor } of source.list())
  await withPerson(
    () => called(source, descriptor.name),
    done => done,
  )
await source.close()
