import * as z from 'zod';
import type { Pattern } from './peer-case.ts';

/** Values that several peers' cases expect or send. */

export const chat = 'hearth/starter-chat';
export const embed = 'hearth/starter-embed';
export const vision = 'hearth/starter-vision';

export const hello = [{ role: 'user', content: 'Hello!' }];

export const count = z.int().min(0);
export const positive = z.int().min(1);
export const text = z.string().min(1);
export const anyText = z.string();
export const anyValue = z.unknown();
export const logprob = z.number().max(0);

/** A list of numbers whose vector length is 1. */
export const unitVector = z
  .array(z.number())
  .min(2)
  .refine((vector) => Math.abs(vector.reduce((sum, each) => sum + each ** 2, 0) - 1) < 1e-3);

/** Base64 of as many 32-bit floats as the starter model's vectors have. */
export const base64Vector = z
  .base64()
  .refine((base64) => Buffer.from(base64, 'base64').length % 4 === 0);

/** Text that contains JSON, which the schema accepts. */
export const json = (schema: z.ZodType): z.ZodType =>
  z.string().refine((value) => {
    try {
      return schema.safeParse(JSON.parse(value)).success;
    } catch {
      return false;
    }
  });

/** An error with OpenAI's body. */
export const openAiError = (message: RegExp, more: { readonly [field: string]: Pattern } = {}) => ({
  error: { message, type: 'invalid_request_error', ...more },
});

/** An error with Anthropic's body. */
export const anthropicError = (type: string, message: RegExp) => ({
  type: 'error',
  error: { type, message },
});

/** A red PNG of one pixel. */
export const redPixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADElEQVQImWP4z8AAAAMBAQCc479ZAAAAAElFTkSuQmCC';
