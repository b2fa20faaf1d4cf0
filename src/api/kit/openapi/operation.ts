import * as z from 'zod';
import type { Route } from '../route.ts';
import type { Endpoint } from '../mount.ts';
import {
  examplesOf,
  type ComponentSchemas,
  type Direction,
  type JsonObject,
} from './component-schemas.ts';
import type { ErrorResponses } from './error-responses.ts';

/** Headers that browsers set by themselves, so clients need not know them. */
const browserHeaders: ReadonlySet<unknown> = new Set(['origin', 'user-agent']);

interface Components {
  readonly schemas: ComponentSchemas;
  readonly errors: ErrorResponses;
}

/** Converts an endpoint to an Operation Object of OpenAPI 3.1. */
export function toOperation({ api, route }: Endpoint, components: Components): JsonObject {
  const { schemas, errors } = components;
  const { operationId, summary, description, permission } = route;
  const { params, query, headers, body, upload, result } = route;
  const parameters = [
    ...toParameters('path', params, schemas),
    ...toParameters('query', query, schemas),
    ...toParameters('header', headers, schemas).filter(({ name }) => !browserHeaders.has(name)),
  ];
  const toContent = (type: string, schema: z.ZodType | undefined, direction: Direction) =>
    schema === undefined ? {} : { [type]: toMediaType(schema, direction, schemas) };
  const requestContent = {
    ...toContent('application/json', body, 'input'),
    ...(upload && { [upload.contentType]: { schema: toUploadSchema(upload) } }),
  };
  const hasResult = route.isStreamOnly !== true && !(result instanceof z.ZodVoid);
  return {
    operationId,
    tags: [api.name],
    summary,
    ...(description === undefined ? {} : { description }),
    security: permission === null ? [] : [{ token: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(Object.keys(requestContent).length > 0 && {
      requestBody: { required: true, content: requestContent },
    }),
    responses: {
      200: {
        description: 'OK',
        content: {
          ...(hasResult && toContent(route.resultType ?? 'application/json', result, 'output')),
          ...toContent('text/event-stream', route.events, 'output'),
          ...toContent('application/x-ndjson', route.lines, 'output'),
          ...Object.fromEntries((route.mediaTypes ?? []).map((type) => [type, {}])),
        },
      },
      ...errors.responsesOf(route, api.errorSerializer),
    },
  };
}

function toUploadSchema(upload: NonNullable<Route['upload']>): JsonObject {
  const file = { type: 'string', format: 'binary' };
  if (upload.contentType === 'application/octet-stream') return file;
  const { properties, required = [] } = z.toJSONSchema(upload.fields);
  return {
    type: 'object',
    properties: { file, ...(properties as JsonObject) },
    required: ['file', ...required],
  };
}

function toMediaType(
  schema: z.ZodType,
  direction: Direction,
  schemas: ComponentSchemas,
): JsonObject {
  const [example] = examplesOf(schema);
  return {
    schema: schemas.toSchema(schema, direction),
    ...(example === undefined ? {} : { example }),
  };
}

function toParameters(
  place: 'path' | 'query' | 'header',
  schema: z.ZodType | undefined,
  schemas: ComponentSchemas,
): readonly JsonObject[] {
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>).map(
    ([name, field]) => {
      const { description, examples: _, ...json } = schemas.toSchema(field, 'input');
      const [example] = examplesOf(field);
      return {
        name,
        in: place,
        required: place === 'path' || !field.isOptional(),
        ...(description === undefined ? {} : { description }),
        schema: json,
        ...(example === undefined ? {} : { example }),
      };
    },
  );
}
