import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { errorTable, HearthError, type ErrorCode } from '../kernel/errors/errors.ts';
import { examplesOf } from '../api/kit/openapi/component-schemas.ts';
import { anthropicErrors } from '../api/anthropic/errors.ts';
import { declaredEndpoints, referenceFiles } from './reference.ts';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content & { readonly description: string }>>;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly example?: unknown }>>;
}

interface Schema {
  readonly oneOf?: readonly { readonly $ref?: string }[];
  readonly discriminator?: { readonly mapping: Readonly<Record<string, string>> };
}

interface Document {
  readonly openapi: string;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const document = JSON.parse((await referenceFiles())['docs/openapi.json'] ?? '') as Document;
const endpoints = declaredEndpoints();
const fieldsOf = (schema: z.ZodType | undefined): readonly z.ZodType[] =>
  schema instanceof z.ZodObject ? Object.values<z.ZodType>(schema.shape) : [];
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

describe('docs/errors.md', () => {
  it('has every error of the table, and no other', async () => {
    const text = await readFile(new URL('../../docs/errors.md', import.meta.url), 'utf8');
    const rows = text.split('\n').filter((line) => /^\| \d/.test(line));
    const codes = rows.map((row) => row.split(' | ')[2]?.replaceAll('`', ''));
    expect(codes).toEqual(Object.keys(errorTable));
  });
});

describe('the OpenAPI document', () => {
  it('declares only errors of the table, each under its status', () => {
    const table: Readonly<Record<string, { readonly status: number; readonly when: string }>> =
      errorTable;
    let count = 0;
    for (const { responses, tags } of operations) {
      // Its statuses are Anthropic's.
      const isAnthropic = tags.includes('anthropic');
      for (const [status, { description }] of Object.entries(responses)) {
        for (const [, code = ''] of description.matchAll(/(?:^|\. )`([a-z_]+)`: /g)) {
          const expected = isAnthropic
            ? anthropicErrors.serialize(new HearthError(code as ErrorCode, '')).status
            : table[code]?.status;
          expect([code, expected]).toEqual([code, Number(status)]);
          count += 1;
        }
      }
    }
    expect(count).toBeGreaterThan(50);
  });

  // covers server-25
  it('has an example for every request and response that is not a file', () => {
    const missing = operations.flatMap(({ operationId, requestBody, responses }) =>
      [requestBody, responses['200']]
        .flatMap((part) => Object.entries(part?.content ?? {}))
        .filter(([type, { example }]) => /json|event-stream/.test(type) && example === undefined)
        .map(([type]) => `${operationId}: ${type}`),
    );
    expect(missing).toEqual([]);
  });

  it('has examples that fit their schemas', () => {
    const wrong = endpoints.flatMap(
      ({ route: { operationId, params, query, body, result, events } }) =>
        [...fieldsOf(params), ...fieldsOf(query), body, result, events]
          .filter((schema) => schema !== undefined)
          .flatMap((schema) => examplesOf(schema).map((example) => schema.safeParse(example)))
          .filter(({ success }) => !success)
          .map(({ error }) => `${operationId}: ${error?.message}`),
    );
    expect(wrong).toEqual([]);
  });

  it('names the branches of each union with a discriminator', () => {
    const unions = Object.entries(document.components.schemas).filter(
      ([, schema]) => schema.oneOf !== undefined,
    );
    expect(unions.length).toBeGreaterThan(8);
    for (const [name, { oneOf = [], discriminator }] of unions) {
      const references = oneOf.map(({ $ref }) => $ref);
      expect([name, new Set(Object.values(discriminator?.mapping ?? {}))]).toEqual([
        name,
        new Set(references),
      ]);
    }
    expect(JSON.stringify(document.paths)).not.toContain('"oneOf"');
  });

  // covers server-25
  it('is of version 3.1 and shows paths as clients write them', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(['/health', '/api/v0/models/{model}', '/api/v1/chat']),
    );
    expect(Object.keys(document.paths).join()).not.toMatch(/\.\+|:/);
  });

  it('has a summary, a described tag and an id of its own for each operation', () => {
    const tags = new Set(document.tags.map(({ name }) => name));
    expect(operations.every(({ summary }) => summary.length > 5)).toBe(true);
    expect(operations.every((operation) => operation.tags.every((tag) => tags.has(tag)))).toBe(
      true,
    );
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  });

  // covers server-11
  it('directs new programs from v0 to v1', () => {
    const v0 = document.tags.find(({ name }) => name === 'v0');
    expect(v0?.description).toContain('May change: new programs use v1.');
  });
});
