// Which scenarios of the suite speak of us, and why the others do not. A scenario that is in none of these lists must pass.

/** Scenario names, or beginnings of names that end in `*`. */
const DOES_NOT_APPLY: Readonly<Record<'server' | 'client', Readonly<Record<string, string>>>> = {
  server: {
    'logging-set-level': 'No log is sent to clients: what a tool logs is for the host (D10), and the protocol has deprecated it.',
    'tools-call-with-logging': 'As above: the log of a tool is for the host.',
    'completion-complete': 'Tools are served and nothing else; completion is of prompts and resource templates.',
    'tools-call-sampling': 'A tool has no way to ask the model of a client; the protocol has deprecated it.',
    'server-sse-polling':
      'Streams are not resumed. What became of a call is in the record, and a call that is sent again under its `toolturn/key` is answered from there.',
    'resources-*': 'Tools are served and nothing else.',
    'prompts-*': 'Tools are served and nothing else.',
  },
  client: {
    'elicitation-sep1034-client-defaults':
      'Servers of these revisions are not offered elicitation: it would need a connection that outlives the process. What a server of 2026-07-28 asks by `input_required` becomes a hold of the call.',
    'auth/2025-03-26-oauth-metadata-backcompat':
      'Its server names another issuer than the place where its metadata was found; RFC 8414 (3.3) has a client refuse that, and the SDK does.',
  },
}

/** Where the server stands that has what a scenario asks for; the others are at `/mcp`. */
export const OWN_PATH: ReadonlyMap<string, string> = new Map([
  ['elicitation-sep1034-defaults', '/elicitation-sep1034-defaults'],
  ['elicitation-sep1330-enums', '/elicitation-sep1330-enums'],
])

export function whyNot(side: 'server' | 'client', scenario: string): string | null {
  const found = Object.entries(DOES_NOT_APPLY[side]).find(([name]) =>
    name.endsWith('*') ? scenario.startsWith(name.slice(0, -1)) : scenario === name,
  )
  return found?.[1] ?? null
}
