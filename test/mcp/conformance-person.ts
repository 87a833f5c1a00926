// A person at a browser, for the conformance suite: signs in wherever they are sent, at once, and keeps what they get.

import {
  auth,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client'

export type Person = OAuthClientProvider & {
  /** Takes the way back from the last redirect. False where there was none. */
  readonly comeBack: (serverUrl: string) => Promise<boolean>
}

const METADATA: OAuthClientMetadata = {
  client_name: 'toolturn',
  redirect_uris: ['http://localhost:3000/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
}

/** @param known a registration that was made before; @param documentUrl where the client describes itself, for servers that read it */
export function personAt(known: StoredOAuthClientInformation | undefined, documentUrl: string | undefined): Person {
  let registration = known
  let tokens: StoredOAuthTokens | undefined
  let discovered: OAuthDiscoveryState | undefined
  let verifier = ''
  let callback: URLSearchParams | null = null
  return {
    redirectUrl: 'http://localhost:3000/callback',
    clientMetadata: METADATA,
    ...(documentUrl === undefined ? {} : { clientMetadataUrl: documentUrl }),
    clientInformation: () => registration,
    saveClientInformation: saved => {
      registration = saved
    },
    tokens: () => tokens,
    saveTokens: saved => {
      tokens = saved
    },
    saveCodeVerifier: saved => {
      verifier = saved
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: saved => {
      discovered = saved
    },
    discoveryState: () => discovered,
    redirectToAuthorization: async url => {
      const answer = await fetch(url, { redirect: 'manual' })
      callback = new URL(answer.headers.get('location') ?? 'http://localhost').searchParams
    },
    comeBack: async function (this: OAuthClientProvider, serverUrl) {
      const [code, iss] = [callback?.get('code'), callback?.get('iss')]
      callback = null
      if (code == null) return false
      await auth(this, { serverUrl, authorizationCode: code, ...(iss == null ? {} : { iss }) })
      return true
    },
  }
}
