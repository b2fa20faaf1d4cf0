import * as z from 'zod';
import type { Route } from '../route.ts';
import type { Endpoint } from '../mount.ts';
import { examplesOf, type ComponentSchemas, type JsonObject } from './component-schemas.ts';
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
  const { operationId, summary, description, permission, params, query, headers, body } = route;
  const parameters = [
    ...toParameters('path', params, schemas),
    ...toParameters('query', query, schemas),
    ...toParameters('header', headers, schemas).filter(({ name }) => !browserHeaders.has(name)),
  ];
  return {
    operationId,
    tags: [api.name],
    summary,
    ...(description === undefined ? {} : { description }),
    security: permission === null ? [] : [{ token: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': toMediaType(body, 'input', schemas) },
          },
        }),
    ...(route.upload === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: {
              [route.upload.contentType]: { schema: toUploadSchema(route.upload) },
            },
          },
        }),
    responses: {
      200: {
        description: 'OK',
        content: {
          ...(route.isStreamOnly === true || route.result instanceof z.ZodVoid
            ? {}
            : {
                [route.resultType ?? 'application/json']: toMediaType(
                  route.result,
                  'output',
                  schemas,
                ),
              }),
          ...(route.events === undefined
            ? {}
            : { 'text/event-stream': toMediaType(route.events, 'output', schemas) }),
          ...(route.lines === undefined
            ? {}
            : { 'application/x-ndjson': toMediaType(route.lines, 'output', schemas) }),
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
  direction: 'input' | 'output',
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
