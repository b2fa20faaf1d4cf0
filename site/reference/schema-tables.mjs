// Markdown of JSON schemas: tables of properties, whose types link to the other schemas of the page.

/** The names of all schemas that a part of an OpenAPI document refers to, directly or through others, in order. */
export function namedSchemas(part, schemas, found = new Set()) {
  if (Array.isArray(part)) for (const each of part) namedSchemas(each, schemas, found);
  else if (typeof part === 'object' && part !== null) {
    const name = nameOf(part);
    if (name !== undefined && !found.has(name) && schemas[name] !== undefined) {
      found.add(name);
      namedSchemas(schemas[name], schemas, found);
    }
    for (const [key, value] of Object.entries(part)) {
      if (!/^examples?$/.test(key)) namedSchemas(value, schemas, found);
    }
  }
  return found;
}

/** The section of a named schema. */
export function schemaSection(name, schema) {
  const parts = [`### ${name}`];
  if (schema.description !== undefined) parts.push(inText(schema.description));
  const rows = rowsOf(schema);
  if (rows.length > 0) parts.push(table(['Field', 'Type', 'Description'], rows));
  else parts.push(`${typeOf(schema)}.`);
  return parts.join('\n\n');
}

/** A table of Markdown, or an empty text if it has no rows. */
export function table(head, rows) {
  if (rows.length === 0) return '';
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.map(inCell).join(' | ')} |`).join('\n');
}

/** Text in which nothing but Markdown has a meaning. */
export function inText(text) {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;')))
    .join('');
}

const inCell = (text) => text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '\\|');

/** A row for each property, including nested ones: `tools[].name`. */
function rowsOf(schema, path = '') {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const isRequired = schema.required?.includes(name) === true;
    const label = `${path}${name}`;
    const row = [
      `\`${label}\`${isRequired ? ' (required)' : ''}`,
      typeOf(property),
      inText(descriptionOf(property)),
    ];
    return [
      row,
      ...innerObjects(property, label).flatMap(([at, inner]) => rowsOf(inner, `${at}.`)),
    ];
  });
}

/** The objects without a name inside of a schema, with their path. */
function innerObjects(schema, path) {
  if (schema.properties !== undefined) return [[path, schema]];
  if (schema.items !== undefined) return innerObjects(schema.items, `${path}[]`);
  if (typeof schema.additionalProperties === 'object') {
    return innerObjects(schema.additionalProperties, `${path}.*`);
  }
  return (schema.anyOf ?? schema.oneOf ?? []).flatMap((each) => innerObjects(each, path));
}

/** Descriptions may stand at the only choice beside null. */
function descriptionOf(schema) {
  const choices = [schema, ...(schema.anyOf ?? schema.oneOf ?? [])];
  const text = choices.find(({ description }) => description !== undefined)?.description ?? '';
  const { default: value } = schema;
  return value === undefined ? text : `${text} Default: \`${JSON.stringify(value)}\`.`.trim();
}

/** The type in words, with its limits. */
export function typeOf(schema) {
  const name = nameOf(schema);
  if (name !== undefined) return `[${name}](#${name.toLowerCase()})`;
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(code).join(', ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return [...new Set(choices.map(typeOf))].join(' or ');
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  if (schema.type === 'array') return `array of ${typeOf(schema.items ?? {})}${limits(schema)}`;
  if (typeof schema.additionalProperties === 'object' && schema.properties === undefined) {
    const values = typeOf(schema.additionalProperties);
    return values === 'any' ? 'object' : `object with values: ${values}`;
  }
  return `${schema.type ?? 'any'}${limits(schema)}`;
}

const nameOf = ({ $ref }) => /^#\/components\/schemas\/(.*)$/.exec($ref ?? '')?.[1];

const code = (value) => `\`${JSON.stringify(value)}\``;

function limits(schema) {
  const { format, minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  const above =
    schema.exclusiveMinimum === undefined ? undefined : `above ${schema.exclusiveMinimum}`;
  const parts = [
    format,
    above,
    range(minimum, maximum),
    range(minLength, maxLength, 'characters'),
    range(minItems, maxItems, 'items'),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

/** Leaves out huge limits, which only keep numbers exact or requests below the maximum size of a body. */
function range(from, to, unit) {
  const max = to === undefined || to >= 2 ** 26 ? undefined : to.toLocaleString('en');
  const min = from === undefined || from <= -(2 ** 26) ? undefined : from.toLocaleString('en');
  const text =
    min === undefined
      ? max && `at most ${max}`
      : max === undefined
        ? `at least ${min}`
        : `${min} to ${max}`;
  return text && (unit === undefined ? text : `${text} ${unit}`);
}
