import * as z from 'zod';
import { isoTimeSchema } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import * as named from '../../kit/named.ts';

const exampleOrigin = {
  url: 'https://example.com/hearth/catalog.json',
  key: 'GyJrJC8rBzsE0yt1Ww8cWBsJPaRV0K8ygIJsEIkTWSE=',
};

const exampleCatalogState = {
  source: exampleOrigin,
  version: '2026-11-24T00:00:00Z',
  checked_at: '2026-11-24T09:30:10.000Z',
  model_count: 25,
};

const stateSchema = named.object('CatalogState', [exampleCatalogState], {
  source: z
    .object({ url: z.string(), key: z.string() })
    .optional()
    .describe('Absent for the list that ships with Hearth.'),
  version: z.string().optional().describe('Time at which the list was made.'),
  checked_at: isoTimeSchema.optional().describe('When the source was last read with success.'),
  model_count: z.int(),
});
export type CatalogStateRecord = z.infer<typeof stateSchema>;

export const getCatalog = defineRoute('GET /api/v1/catalog', {
  operationId: 'getCatalog',
  summary: 'Show where the catalog comes from',
  permission: 'models:read',
  result: stateSchema,
});

export const setCatalogSource = defineRoute('PUT /api/v1/catalog', {
  operationId: 'setCatalogSource',
  summary: 'Use the signed catalog of an address',
  description:
    'Reads the list and its Ed25519 signature, which is at the same path with `.sig` at the end. The list replaces the ' +
    'shipped one. It is read again once a day; the last valid list stays in use if that fails.',
  permission: 'admin',
  body: named.strictObject('CatalogSource', [exampleOrigin], {
    url: z.url({ protocol: /^https?$/, error: 'It must be an http or https URL.' }).max(2000),
    key: z.string().max(200).describe('Ed25519 public key in Base64.'),
  }),
  result: stateSchema,
  errors: ['unrecognized_keys', 'invalid_value', 'hub_unreachable'],
});

export const refreshCatalog = defineRoute('POST /api/v1/catalog/refresh', {
  operationId: 'refreshCatalog',
  summary: 'Read the catalog of the source again',
  permission: 'admin',
  result: stateSchema,
  errors: ['conflict', 'hub_unreachable'],
});

export const resetCatalog = defineRoute('DELETE /api/v1/catalog', {
  operationId: 'resetCatalog',
  summary: 'Use the shipped catalog again',
  permission: 'admin',
  result: stateSchema,
});
