import * as z from 'zod';
import { toValidationError } from './validation-error.ts';

/**
 * Validates a value and returns the output of its schema.
 *
 * @throws HearthError for the first issue.
 */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const result = schema.safeParse(value, { error: messageOf });
  if (result.success) return result.data;
  throw toValidationError(result.error.issues, value);
}

/** Only this function sees the schema, so the message carries what `toValidationError` needs from it. */
function messageOf({ code, inst }: z.core.$ZodRawIssue): string {
  if (code === 'unrecognized_keys' && inst instanceof z.ZodObject) {
    return Object.keys(inst.shape).join(' ');
  }
  // For an unsafe integer the issue has the bound of safe integers, not that of the schema.
  if (code === 'too_big' && inst instanceof z.ZodNumber)
    return `It must be at most ${inst.maxValue}`;
  if (code === 'too_small' && inst instanceof z.ZodNumber)
    return `It must be at least ${inst.minValue}`;
  return '';
}
