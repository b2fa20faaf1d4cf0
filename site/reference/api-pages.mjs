// The API reference as Markdown: a page for each kind of resource, from the OpenAPI document.
import { inText, namedSchemas, schemaSection, table, typeOf } from './schema-tables.mjs';

/**
 * The pages of the operations, in the order of the document: `{ api, title, path, text }`. The large APIs have a page for each
 * first segment of their paths, the others one.
 */
export function apiPages(document) {
  const pages = new Map();
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const page = pageOf(path, operation.tags[0]);
      const known = pages.get(page.path) ?? { ...page, operations: [] };
      pages.set(page.path, known);
      known.operations.push({ method, path, operation });
    }
  }
  return [...pages.values()].map(({ operations, ...page }) => ({
    ...page,
    text: pageText(page.title, operations, document),
  }));
}

/** The page that lists the others. */
export function apiIndex(document, pages) {
  const lists = document.tags.map(({ name, description }) => {
    const links = pages
      .filter(({ api }) => api === name)
      .map(({ title, path }) => `- [${title}](${path.replace('reference/', '')})`);
    return [`## ${name}`, inText(description), links.join('\n')].join('\n\n');
  });
  return `${[
    '# API reference',
    'Every operation of the server, with its parameters, its errors and examples. The server sends the same as an OpenAPI 3.1 ' +
      'document: `GET /openapi.json`. The commands are for a server at `http://127.0.0.1:1234` that [needs no token](../remote-access.md); with one, add ' +
      "`--header 'Authorization: Bearer TOKEN'`.",
    ...lists,
  ].join('\n\n')}\n`;
}

const prefixes = { v1: '/api/v1/', openai: '/v1/' };

function pageOf(path, api) {
  const prefix = prefixes[api];
  if (prefix === undefined) return { api, title: api, path: `reference/${api}.md` };
  const [segment] = path.slice(prefix.length).split('/');
  return { api, title: `${prefix}${segment}`, path: `reference/${api}-${segment}.md` };
}

function pageText(title, operations, document) {
  const { schemas } = document.components;
  const sections = operations.map((each) => operationSection(each));
  const names = namedSchemas(
    operations.map(({ operation }) => withoutErrors(operation)),
    schemas,
  );
  const schemaSections = [...names].map((name) => schemaSection(name, schemas[name]));
  return `${[
    `# ${title}`,
    ...sections,
    ...(schemaSections.length === 0 ? [] : ['## Schemas', ...schemaSections]),
  ].join('\n\n')}\n`;
}

function withoutErrors({ responses, ...operation }) {
  return { ...operation, responses: successes(responses) };
}

const successes = (responses) => Object.entries(responses).filter(([status]) => status < 400);

function operationSection({ method, path, operation }) {
  const { summary, description, parameters = [], requestBody, responses } = operation;
  return [
    `## ${method.toUpperCase()} ${path.replaceAll(/[{}]/g, (brace) => `\\${brace}`)}`,
    inText(summary),
    description === undefined ? '' : inText(description),
    table(['Parameter', 'In', 'Type', 'Description'], parameters.map(parameterRow)),
    ...contentLines('Body', requestBody?.content),
    curl(method, path, operation),
    ...successes(responses).flatMap(([status, response]) => [
      ...contentLines(`Answer ${status}`, response.content),
      ...examplesOf(response.content),
    ]),
    errorLine(responses),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function parameterRow({ name, in: place, required, schema, description }) {
  const text = description ?? schema.description ?? '';
  return [`\`${name}\`${required ? ' (required)' : ''}`, place, typeOf(schema), inText(text)];
}

/** "Body: `application/json`, ChatRequest", with a link. */
function contentLines(label, content) {
  if (content === undefined)
    return label.startsWith('Answer') ? [`**${label}**, without content`] : [];
  return Object.entries(content).map(([type, { schema }]) => {
    return `**${label}:** \`${type}\`${schema === undefined ? '' : `, ${typeOf(schema)}`}`;
  });
}

function examplesOf(content = {}) {
  return Object.entries(content).flatMap(([type, { example }]) => {
    if (example === undefined) return [];
    if (typeof example === 'string') return [fenced('text', example)];
    const text = JSON.stringify(example, null, type === 'application/json' ? 2 : undefined);
    return [fenced('json', text)];
  });
}

const fenced = (language, text) => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;

function errorLine(responses) {
  const lines = Object.entries(responses)
    .filter(([status]) => status >= 400)
    .map(([status, { description }]) => {
      const codes = [...description.matchAll(/`(\w+)`: /g)].map(([, name]) => `\`${name}\``);
      return `${status} ${codes.join(', ')}`.trim();
    });
  return lines.length === 0 ? '' : `**[Errors](../errors.md):** ${lines.join('; ')}`;
}

/** A command that sends the example of the operation. */
function curl(method, path, { parameters = [], requestBody }) {
  const values = new Map(parameters.map((each) => [each.name, exampleOf(each)]));
  const query = parameters
    .filter(({ in: place, required }) => place === 'query' && required)
    .map(({ name }) => `${name}=${encodeURIComponent(values.get(name))}`);
  const to = path.replaceAll(/\{(\w+)\}/g, (_, name) => values.get(name));
  const url = `http://127.0.0.1:1234${to}${query.length === 0 ? '' : `?${query.join('&')}`}`;
  const options = bodyOptions(requestBody?.content);
  const usual = options.length === 0 ? 'get' : 'post';
  const verb = method === usual ? [] : [`--request ${method.toUpperCase()}`];
  return fenced('sh', ['curl', ...verb, quoted(url), ...options].join(' '));
}

function exampleOf({ name, example, schema }) {
  return String(example ?? schema.examples?.[0] ?? schema.enum?.[0] ?? name.toUpperCase());
}

function bodyOptions(content) {
  if (content === undefined) return [];
  const [[type, { example, schema }]] = Object.entries(content);
  if (type === 'multipart/form-data') {
    return Object.entries(schema.properties).map(([name, field]) => {
      const value = field.format === 'binary' ? '@FILE' : (field.enum?.[0] ?? name.toUpperCase());
      return `--form ${name}=${value}`;
    });
  }
  if (type !== 'application/json') {
    return [`--header ${quoted(`Content-Type: ${type}`)}`, '--data-binary @FILE'];
  }
  return [`--json ${quoted(JSON.stringify(example ?? {}, null, 2))}`];
}

const quoted = (text) =>
  /^[\w:/.=@?-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
