import type * as z from 'zod';
import { HearthError, invalidValue } from '../../../kernel/errors/errors.ts';
import { jsonObjectSchema, type responseFormatFields } from './response-format-schema.ts';
import type { ResponseFormat } from '../../../engines/engine.ts';
import { assertSupported, type UnsupportedField } from './unsupported-fields.ts';

type FormatFields = z.output<z.ZodObject<typeof responseFormatFields>>;

/** Client grammars are not supported, since one can keep the engine busy for all other requests. */
const reason =
  'is not supported. `response_format` takes a JSON schema, also with `enum` or `pattern`.';
const unsupported: readonly UnsupportedField[] = [
  'grammar',
  'guided_choice',
  'guided_grammar',
  'guided_regex',
  'structural_tag',
].map((name) => ({ name, reason }));
const unsupportedOutputs = ['choice', 'grammar', 'regex', 'structural_tag'].map((name) => ({
  name: `structured_outputs.${name}`,
  reason,
}));

/** Fields of chats that text completions do not have. */
export const chatFormatFields: readonly UnsupportedField[] = [
  'response_format',
  'json_schema',
  'guided_json',
  'structured_outputs',
  ...unsupported.map(({ name }) => name),
].map((name) => ({
  name,
  reason: 'is not supported here: chat completions have formats.',
  isHarmless: (value) => name === 'response_format' && isTextFormat(value),
}));

/**
 * Reads the format of a chat completion; undefined if absent.
 *
 * @throws HearthError `invalid_value` for two formats, and for constraints that are not supported.
 */
export function toResponseFormat(body: FormatFields): ResponseFormat | undefined {
  assertSupported(body, unsupported);
  const { structured_outputs: outputs } = body;
  assertSupported(
    Object.fromEntries(
      Object.entries(outputs ?? {}).map(([name, value]) => [`structured_outputs.${name}`, value]),
    ),
    unsupportedOutputs,
  );
  const formats = [
    { name: 'response_format', format: ofResponseFormat(body.response_format) },
    { name: 'json_schema', format: ofSchema('json_schema', body.json_schema) },
    { name: 'guided_json', format: ofSchema('guided_json', body.guided_json) },
    {
      name: 'structured_outputs',
      format:
        ofSchema('structured_outputs.json', outputs?.json) ??
        (outputs?.json_object === true ? ({ type: 'json_object' } as const) : undefined),
    },
  ].filter(({ format }) => format !== undefined);
  const [first, second] = formats;
  if (first === undefined || second === undefined) return first?.format;
  const message = `\`${first.name}\` and \`${second.name}\` both give the answer a format. Leave one of them out.`;
  throw invalidValue(second.name, message);
}

function ofResponseFormat(format: FormatFields['response_format']): ResponseFormat | undefined {
  switch (format?.type) {
    case undefined:
      return undefined;
    case 'text':
      return { type: 'text' };
    case 'json_object':
      return ofSchema('response_format.schema', format.schema) ?? { type: 'json_object' };
    case 'json_schema':
      return { type: 'json_schema', schema: format.json_schema.schema };
  }
}

/** @throws HearthError `invalid_value` if the text is not a JSON schema. */
function ofSchema(
  name: string,
  schema: z.output<typeof jsonObjectSchema> | string | null | undefined,
): ResponseFormat | undefined {
  if (schema == null) return undefined;
  return {
    type: 'json_schema',
    schema: typeof schema === 'string' ? parseSchema(name, schema) : schema,
  };
}

function parseSchema(name: string, text: string): z.output<typeof jsonObjectSchema> {
  try {
    return jsonObjectSchema.parse(JSON.parse(text));
  } catch (error) {
    const message = `\`${name}\` must be a JSON schema, or its text.`;
    throw new HearthError('invalid_value', message, { param: name, cause: error });
  }
}

function isTextFormat(format: unknown): boolean {
  return (
    typeof format === 'object' && format !== null && 'type' in format && format.type === 'text'
  );
}
