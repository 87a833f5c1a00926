// The store on Postgres passes the suite of the port.

import { openPostgres } from '../../store/postgres.ts'
import { describeWithPostgres, freshSchema } from '../servers.ts'
import { storeSuite } from './store-suite.ts'

describeWithPostgres('the store on Postgres', url => {
  const schema = freshSchema()
  storeSuite(async () => {
    const stores = [await openPostgres(url, { schema, migrate: true }), await openPostgres(url, { schema })] as const
    return { stores, foreign: cursor => cursor.replace(/^\d+/, '1'), tellsWakes: true }
  })
})
