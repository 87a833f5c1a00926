// Every keyword that a schema may hold in some dialect, and some that only validators know.

export const EVERY_KEYWORD: readonly string[] = [
  ...['type', 'enum', 'const', 'default', 'multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'],
  ...['maxLength', 'minLength', 'pattern', 'format', 'maxItems', 'minItems', 'uniqueItems', 'maxContains', 'minContains'],
  ...['maxProperties', 'minProperties', 'required', 'dependentRequired', 'not', 'if', 'then', 'else', 'allOf', 'anyOf', 'oneOf'],
  ...['dependentSchemas', 'dependencies', 'items', 'additionalItems', 'unevaluatedItems', 'contains', 'prefixItems'],
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'properties', 'patternProperties'],
  ...['$ref', '$defs', 'definitions', '$id', 'id', '$anchor', '$dynamicRef', '$dynamicAnchor', '$comment', 'title', 'examples'],
  ...['nullable', '$async', '$data', 'discriminator', 'x-secret', 'writeOnly', '__proto__', 'constructor', 'toolturn:steps'],
]
