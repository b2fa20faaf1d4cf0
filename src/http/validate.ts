import { z } from 'zod';
import { toValidationError } from './validation-error.ts';

/**
 * The value as its schema gives it out.
 *
 * @throws HearthError for the first thing that is wrong with it.
 */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const result = schema.safeParse(value, { error: messageOf });
  if (result.success) return result.data;
  throw toValidationError(result.error.issues, value);
}

/** Only here is the schema at hand, so the fields that it knows go into the message; the rest is written later. */
function messageOf(issue: z.core.$ZodRawIssue): string {
  if (issue.code !== 'unrecognized_keys' || !(issue.inst instanceof z.ZodObject)) return '';
  return Object.keys(issue.inst.shape).join(' ');
}
