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

/** Only here is the schema at hand, so what it alone knows goes into the message; the rest is written later. */
function messageOf({ code, inst }: z.core.$ZodRawIssue): string {
  if (code === 'unrecognized_keys' && inst instanceof z.ZodObject) {
    return Object.keys(inst.shape).join(' ');
  }
  // The issue of an integer beyond what a double holds exactly has that bound in place of the schema's own.
  if (code === 'too_big' && inst instanceof z.ZodNumber)
    return `It must be at most ${inst.maxValue}`;
  if (code === 'too_small' && inst instanceof z.ZodNumber)
    return `It must be at least ${inst.minValue}`;
  return '';
}
