import * as z from 'zod';
import { textSchema } from '../../../kernel/field.ts';
import * as named from '../../kit/named.ts';

/** Answer formats, in the fields of OpenAI and of servers with a compatible API. */

export const jsonObjectSchema = z.record(z.string(), z.unknown());

const responseFormatSchema = named.discriminatedUnion('V0ResponseFormat', 'type', [
  named.looseObject('V0TextFormat', { type: z.literal('text') }),
  named.looseObject('V0JsonObjectFormat', {
    type: z.literal('json_object'),
    schema: jsonObjectSchema.nullish().describe('As in llama.cpp: a JSON schema.'),
  }),
  named.looseObject('V0JsonSchemaFormat', {
    type: z.literal('json_schema'),
    json_schema: named.looseObject('V0JsonSchema', { schema: jsonObjectSchema }),
  }),
]);

const schemaOrTextSchema = z
  .union([jsonObjectSchema, textSchema])
  .meta({ id: 'V0SchemaOrText', description: 'A JSON schema, or its text.' });

/** Fields of a chat that choose the format of the answer. */
export const responseFormatFields = {
  response_format: responseFormatSchema.nullish(),
  json_schema: jsonObjectSchema.nullish().describe('As in llama.cpp: a JSON schema of the answer.'),
  guided_json: schemaOrTextSchema.nullish().describe('As in vLLM: a JSON schema of the answer.'),
  structured_outputs: z
    .looseObject({ json: schemaOrTextSchema.nullish(), json_object: z.boolean().nullish() })
    .meta({ id: 'V0StructuredOutputs', description: 'As in vLLM: the format of the answer.' })
    .nullish(),
};
