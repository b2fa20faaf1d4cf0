import * as z from 'zod';
import { isoTimeSchema, recordNameSchema, withExample } from '../../../kernel/field.ts';
import type { NamedRecordKind } from '../../../store/named-record.ts';
import { defineRoute } from '../../kit/route.ts';
import * as named from '../../kit/named.ts';

const revisionSchema = z
  .int()
  .min(0)
  .max(2 ** 31 - 2)
  .optional();

/**
 * Declares the endpoints of one kind of named records: list, get, create or replace, and delete.
 *
 * @param fields Fields of a record besides its name.
 */
export function recordRoutes<
  const Kind extends NamedRecordKind,
  const Fields extends z.core.$ZodLooseShape,
>(
  kind: Kind,
  fields: Fields,
  example: { readonly name: string; readonly content: z.input<z.ZodObject<Fields>> },
) {
  const title = `${kind[0]?.toUpperCase()}${kind.slice(1)}` as Capitalize<Kind>;
  const params = z.object({ [kind]: withExample(recordNameSchema, example.name) } as Record<
    Kind,
    typeof recordNameSchema
  >);
  const exampleRecord = {
    name: example.name,
    ...example.content,
    revision: 1,
    updated_at: '2027-01-15T08:00:00.000Z',
  };
  const record = named.object(title, [exampleRecord], {
    name: z.string(),
    ...fields,
    revision: z.int().describe('One more with each change.'),
    updated_at: isoTimeSchema,
  });
  const listKey = `${kind}s` as const;
  const path = `/api/v1/${kind}s` as const;
  const ownPath = `/api/v1/${kind}s/{${kind}}` as const;
  const notFound = `${kind}_not_found` as const;

  return {
    list: defineRoute(`GET ${path}`, {
      operationId: `list${title}s`,
      summary: `List the ${kind}s of the caller`,
      permission: 'chat',
      result: z
        .object({ [listKey]: z.array(record) } as Record<typeof listKey, z.ZodArray<typeof record>>)
        .meta({ id: `${title}List`, examples: [{ [listKey]: [exampleRecord] }] }),
    }),
    get: defineRoute(`GET ${ownPath}`, {
      operationId: `get${title}`,
      summary: `Get a ${kind}`,
      permission: 'chat',
      params,
      result: record,
      errors: ['invalid_value', notFound],
    }),
    put: defineRoute(`PUT ${ownPath}`, {
      operationId: `put${title}`,
      summary: `Create a ${kind}, or replace it`,
      permission: 'chat',
      params,
      body: z
        .strictObject({
          ...fields,
          revision: revisionSchema.describe(
            `The revision that the request replaces; 0 if there must be no such ${kind} yet. If absent, any is replaced.`,
          ),
        })
        .meta({ id: `Put${title}Request`, examples: [{ ...example.content, revision: 0 }] }),
      result: record,
      errors: ['unrecognized_keys', 'invalid_type', 'invalid_value', 'conflict', notFound],
    }),
    remove: defineRoute(`DELETE ${ownPath}`, {
      operationId: `delete${title}`,
      summary: `Delete a ${kind}`,
      permission: 'chat',
      params,
      result: z
        .object({ name: z.string(), deleted: z.literal(true) })
        .meta({ id: `Deleted${title}`, examples: [{ name: example.name, deleted: true }] }),
      errors: ['invalid_value', notFound],
    }),
  };
}
