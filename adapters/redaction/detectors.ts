// Secrets that show by their form, wherever they stand in a text.
//
// Each pattern takes time linear in the text: it starts at a fixed word or at the edge of a run of characters, so no stretch of
// text is walked from many starts, and what follows is never ambiguous. The tests repeat their pieces to a quarter of a megabyte.

export const MASK = '[redacted]'

type Detector = {
  readonly name: string
  /** Lower-case pieces, one of which stands in every text that the pattern matches: most texts hold none, and are not searched. */
  readonly marks: readonly string[]
  /** Global. What it captures as `secret`, behind what it captures as `before`, is masked; all of it where it captures none. */
  readonly pattern: RegExp
  /** What a match must hold beside its form, so that ordinary words are none. */
  readonly when?: (secret: string) => boolean
}

const hasDigit = (text: string): boolean => /\d/.test(text)
const isUnmasked = (text: string): boolean => text.trim() !== '' && text.trim() !== MASK

/** Where a word begins, also behind an escape of JSON such as `\n`. */
const START = '(?:(?<![\\w-])|(?<=\\\\[nrt]))'

/** Ends of field names. How a name begins does not matter, but for those that are ordinary words with something before them. */
const NAME = `(?:passw(?:or)?d|passphrase|secret|(?:api|secret|private)[_-]?key|(?:access|refresh|auth)[_-]?token|${START}(?:id[_-]?)?token)`
const NAME_MARKS = ['passw', 'passphrase', 'secret', 'key', 'token']

/** In a header, an object or a setting: the name, and what joins it to its value. */
const HEADER = `${START}(?:proxy-)?authorization\\\\?["']?\\s{0,8}[:=]\\s{0,8}\\\\?["']?`

const CONTEXTS: readonly Detector[] = [
  {
    name: 'private key',
    marks: ['private key-----'],
    pattern: /(?<before>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----)(?<secret>[\s\S]*?)(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)/g,
    when: isUnmasked,
  },
  {
    name: 'credentials of a scheme in an authorization header',
    marks: ['authorization'],
    pattern: new RegExp(
      `(?<before>${HEADER}(?:bearer|basic|digest|token|apikey|negotiate|aws4-hmac-sha256)\\s{1,8})(?<secret>[^\\s"'\\\\[]+)`,
      'gi',
    ),
  },
  {
    name: 'credentials in an authorization header',
    marks: ['authorization'],
    pattern: new RegExp(`(?<before>${HEADER})(?<secret>[\\w.~+/=-]{8,})`, 'gi'),
    when: hasDigit,
  },
  {
    name: 'bearer token',
    marks: ['bearer'],
    pattern: new RegExp(`(?<before>${START}bearer\\s{1,8})(?<secret>[\\w.~+/=-]{8,})`, 'gi'),
    when: hasDigit,
  },
  {
    name: 'password in an address',
    marks: ['://'],
    pattern: /(?<before>:\/\/[^\s:@/"'\\]{0,256}:)(?<secret>[^\s@/"'[][^\s@/"']{0,511})@/g,
  },
  {
    name: 'secret in a query or a setting',
    marks: NAME_MARKS,
    pattern: new RegExp(`(?<before>${NAME}=)(?<secret>[^\\s&"'\\\\;,[][^\\s&"'\\\\;,]*)`, 'gi'),
  },
  {
    name: 'secret in a header or a setting',
    marks: NAME_MARKS,
    pattern: new RegExp(`(?<before>${NAME}:\\s{0,8})(?<secret>[\\w.~+/=-]{8,})`, 'gi'),
    when: hasDigit,
  },
  {
    name: 'secret in quotes after its name',
    marks: NAME_MARKS,
    pattern: new RegExp(`(?<before>${NAME}"\\s{0,8}:\\s{0,8}")(?<secret>[^"\\\\]*(?:\\\\.[^"\\\\]*)*)`, 'gi'),
    when: isUnmasked,
  },
  {
    name: 'secret in quotes after its name, inside a text of JSON',
    marks: NAME_MARKS,
    pattern: new RegExp(`(?<before>${NAME}\\\\"\\s{0,8}:\\s{0,8}\\\\")(?<secret>[^"\\\\]*(?:\\\\{2,}[^\\\\][^"\\\\]*)*)`, 'gi'),
    when: isUnmasked,
  },
]

const TOKENS: readonly Detector[] = [
  { name: 'JSON web token', marks: ['eyj'], pattern: new RegExp(`${START}eyJ[\\w-]{16,}(?:\\.[\\w-]*){1,4}`, 'g') },
  {
    name: 'OpenAI, Anthropic and like keys',
    marks: ['sk-', 'xai-', 'gsk_', 'pplx-'],
    pattern: new RegExp(`${START}(?:sk-|xai-|gsk_|pplx-)[\\w-]{16,}`, 'g'),
    when: hasDigit,
  },
  {
    name: 'Stripe key',
    marks: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'whsec_'],
    pattern: new RegExp(`${START}(?:[sr]k_(?:live|test)_|whsec_)\\w{10,}`, 'g'),
  },
  { name: 'AWS access key', marks: ['akia', 'asia'], pattern: new RegExp(`${START}(?:AKIA|ASIA)[A-Z0-9]{16}(?!\\w)`, 'g') },
  {
    name: 'GitHub token',
    marks: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    pattern: new RegExp(`${START}(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\\w{20,})`, 'g'),
  },
  { name: 'GitLab token', marks: ['glpat-', 'gldt-', 'glrt-'], pattern: new RegExp(`${START}gl(?:pat|dt|rt)-[\\w-]{16,}`, 'g') },
  { name: 'Slack token', marks: ['xox', 'xapp-'], pattern: new RegExp(`${START}(?:xox[abceoprs]|xapp)-[\\w-]{10,}`, 'g'), when: hasDigit },
  { name: 'Google key', marks: ['aiza'], pattern: new RegExp(`${START}AIza[\\w-]{30,}`, 'g') },
  { name: 'npm and Hugging Face tokens', marks: ['npm_', 'hf_'], pattern: new RegExp(`${START}(?:npm|hf)_[A-Za-z0-9]{30,}`, 'g') },
  { name: 'SendGrid key', marks: ['sg.'], pattern: new RegExp(`${START}SG\\.[\\w-]{16,}\\.[\\w-]{16,}`, 'g') },
]

/** In the order they are tried: what is told by its context first. */
const DETECTORS: readonly Detector[] = [...CONTEXTS, ...TOKENS]

/** Masks what the detectors find. */
export function maskDetected(text: string): string {
  const searched = text.toLowerCase()
  return DETECTORS.filter(({ marks }) => marks.some(mark => searched.includes(mark))).reduce(maskBy, text)
}

function maskBy(text: string, { pattern, when }: Detector): string {
  return text.replace(pattern, (...match: readonly unknown[]) => {
    const whole = match[0] as string
    const groups = match.at(-1) as { readonly before?: string; readonly secret?: string } | string
    const { before, secret } = typeof groups === 'string' ? { before: '', secret: whole } : { before: '', secret: '', ...groups }
    if (when !== undefined && !when(secret)) return whole
    return `${before}${MASK}${whole.slice(before.length + secret.length)}`
  })
}
