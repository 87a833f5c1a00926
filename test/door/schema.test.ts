// The address of a Postgres names its schema in code as on the command line.

import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { openPostgres } from '../../store/postgres.ts'

const SERVER = 'postgres://postgres@127.0.0.1:5432/test'
const named = `door_${randomBytes(6).toString('hex')}`

test.each([
  ['the one of the URL', {}, named],
  ['the option, where both are given', { schema: `${named}_option` }, `${named}_option`],
])('the schema is %s, and an error names it', async (_, options, schema) => {
  const opened = openPostgres(`${SERVER}?schema=${named}`, options)
  await expect(opened).rejects.toMatchObject({ code: 'schema_unmigrated', details: { schema } })
})

test('a schema that is no name is refused', async () => {
  await expect(openPostgres(`${SERVER}?schema=Bad%22`)).rejects.toMatchObject({ code: 'option_invalid' })
})
