import { z } from '@hono/zod-openapi';

/** Fields that several resources share, each with its bounds. */

export const modelIdentifierSchema = z.string().min(1).max(512);

/**
 * A text; the body limit of the server is usually reached before its own. Halves of surrogate pairs, which
 * UTF-8 can't carry, become U+FFFD.
 */
export const textSchema = z
  .string()
  .max(64 * 1024 * 1024)
  .overwrite((text) => text.toWellFormed());

export const tokenCountSchema = z.int().nonnegative();
export const contextLengthSchema = z
  .int()
  .min(1)
  .max(2 ** 31 - 1)
  .describe('Tokens of prompt and answer together.');
export const ttlSchema = z
  .int()
  .min(1)
  .max(365 * 24 * 3600)
  .describe('Seconds without a request after which the instance is unloaded.');

export const fractionSchema = z.number().min(0).max(1);
export const topKSchema = z.int().min(0).max(1_000_000);
export const repeatPenaltySchema = z.number().positive().max(100);
export const isoTimeSchema = z.iso.datetime({ precision: 3 });
