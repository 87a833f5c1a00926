// What each worker has of what turns offer, so that a turn whose tools nobody has any more is noticed (C7).

import type { Migration } from '../migrate.ts'

export const serves: Migration = {
  number: 3,
  name: 'serves',
  // Null of one that did not say: it counts as having everything.
  sql: s => [`alter table "${s}".workers add column runtime text, add column tools text[]`],
}
