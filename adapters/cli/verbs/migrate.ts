// `migrate`: brings the schema of the store up to date, or prints its SQL for whoever may run it.

import { EXIT } from '../exit.ts'
import { command, verb, type Verb } from '../verb.ts'
import { storeOf, withWhere, type WhereFlags } from '../where.ts'

type Flags = WhereFlags & { readonly print?: boolean }

const words = command('migrate', 'Bring the schema up to date', 'migrate --store postgres://localhost/app?schema=toolturn').option(
  '--print',
  'print the SQL instead, and touch nothing',
)

export const migrate: Verb = verb<Flags>(withWhere(words), async ({ flags, out }) => {
  const store = storeOf(flags)
  if (flags.print === true) {
    const sql = await store.sql()
    await (out.json ? out.answer({ sql }, () => sql) : out.raw(sql))
    return EXIT.done
  }
  const applied = await store.migrate()
  const what = applied.length === 0 ? 'The schema was up to date.' : `Applied: ${applied.join(', ')}.`
  await out.answer({ store: store.address, applied }, () => `${what}\n${store.address}`)
  return EXIT.done
})
