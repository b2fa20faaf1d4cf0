import * as z from 'zod';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { BatchError } from '../../store/batches/batch.ts';

/**
 * Parses JSON from pieces of text, which the caller must not use afterwards. @throws HearthError `invalid_json`,
 * `body_too_large`.
 */
export type ParseJson = (pieces: readonly Uint8Array[]) => Promise<unknown>;

const requestSchema = z.looseObject({
  custom_id: z
    .string('must be a text')
    .min(1, 'must not be empty')
    .max(512, 'is too long')
    .refine((id) => !id.includes('\0') && id.isWellFormed(), 'has characters that are not allowed'),
  method: z.literal('POST', 'must be "POST"'),
  url: z.string('must be the endpoint of the batch'),
  body: z.looseObject(
    {
      stream: z.literal(false, 'must be false: a batch has whole answers').nullish(),
      background: z.literal(false, 'must be false: a batch waits for its answers').nullish(),
    },
    'must be an object',
  ),
});

/** A line of an input file. */
export interface BatchRequest {
  readonly customId: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Parses a line. Returns an error if it is not a request for the batch's endpoint. */
export async function parseRequest(
  pieces: readonly Uint8Array[],
  line: number,
  endpoint: string,
  parseJson: ParseJson,
): Promise<BatchRequest | BatchError> {
  let value: unknown;
  try {
    value = await parseJson(pieces);
  } catch (error) {
    if (!(error instanceof HearthError)) throw error;
    const message = error.message.replace(/^The body/, 'The line');
    return { code: 'invalid_json_line', message, line, param: null };
  }
  const parsed = requestSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const param = issue?.path.join('.') ?? '';
    if (param === '') {
      const message = 'The line is not a JSON object.';
      return { code: 'invalid_json_line', message, line, param: null };
    }
    return { code: 'invalid_request', message: `\`${param}\` ${issue?.message}.`, line, param };
  }
  const { custom_id: customId, url, body } = parsed.data;
  if (url !== endpoint) {
    const message = `\`url\` is ${JSON.stringify(url.slice(0, 100))}; the endpoint of the batch is "${endpoint}".`;
    return { code: 'mismatched_endpoint', message, line, param: 'url' };
  }
  return { customId, body };
}
