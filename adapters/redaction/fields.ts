// Which field names hold secrets. A short list, on purpose: a page token or an order number that is masked cannot be used.

/** Names as they are compared: without case, and without what joins their words. */
export function fieldKey(name: string): string {
  return name.toLowerCase().replace(/[\s_.-]/g, '')
}

/** Secret under exactly this name. `token` alone is one; `page_token` and `next_token` are not. */
const EXACT: ReadonlySet<string> = new Set([
  'token',
  'auth',
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
  'credentials',
  'pwd',
  'jwt',
  'idtoken',
  'authtoken',
  'accesstoken',
  'refreshtoken',
  'bearertoken',
  'sessiontoken',
  'securitytoken',
  'apitoken',
  'bottoken',
  'oauthtoken',
  'personalaccesstoken',
  'xauthtoken',
  'privatetoken',
])

/** Secret however the name begins: `db_password`, `stripeApiKey`. */
const ENDS = ['password', 'passwd', 'passphrase', 'secret', 'apikey', 'secretkey', 'privatekey', 'secretaccesskey', 'clientsecret']

/** @param own further names of the host, each as `fieldKey` gives it */
export function isSecretField(name: string, own: ReadonlySet<string>): boolean {
  const key = fieldKey(name)
  return EXACT.has(key) || own.has(key) || ENDS.some(end => key.endsWith(end))
}
