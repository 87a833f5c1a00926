// A schema that is not taken (G6).

/** Why a schema is quarantined, as the end of a sentence about it: host-written, without text of the schema. */
export class SchemaRefused extends Error {}
