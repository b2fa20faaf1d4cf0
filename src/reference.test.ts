import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { errorTable } from './contract/errors.ts';
import { referenceFiles } from './reference.ts';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

interface Document {
  readonly openapi: string;
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const document = JSON.parse(referenceFiles()['docs/openapi.json'] ?? '') as Document;
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

describe('docs/errors.md', () => {
  it('has every error of the table, and no other', async () => {
    const text = await readFile(new URL('../docs/errors.md', import.meta.url), 'utf8');
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
    for (const { responses } of operations) {
      for (const [status, { description }] of Object.entries(responses)) {
        for (const [, code = ''] of description.matchAll(/(?:^|\. )`([a-z_]+)`: /g)) {
          expect([code, table[code]?.status]).toEqual([code, Number(status)]);
          count += 1;
        }
      }
    }
    expect(count).toBeGreaterThan(50);
  });

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
});
