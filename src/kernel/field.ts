import * as z from 'zod';

/** Fields shared by several resources, with their bounds. */

/** Adds an example, which the OpenAPI document shows. */
export const withExample = <Schema extends z.ZodType>(schema: Schema, example: unknown): Schema =>
  schema.meta({ examples: [example] });

/** A query parameter with some of these names, separated by commas. */
export const namesSchema = <const Names extends readonly string[]>(names: Names) => {
  const message = `It must be a list of ${names.join(', ')}, with commas between them.`;
  return z
    .string()
    .max(64)
    .transform((joined) => joined.split(','))
    .pipe(z.array(z.enum(names, message)));
};

/** A model's identifier, such as `hearth/starter-chat` or `publisher/name@q4_k_m`. */
export const modelIdentifierSchema = z
  .string()
  .min(1)
  .max(512)
  .meta({ examples: ['hearth/starter-chat'] });

/**
 * A text of bounded length; the server's limit for bodies is usually lower. Lone surrogates, which UTF-8 can't encode,
 * become U+FFFD.
 */
export const textSchema = z
  .string()
  .max(64 * 1024 * 1024)
  .overwrite((text) => text.toWellFormed());

/** Name of a preset or prompt. Since it is a segment of URL paths, it can't be `.` or `..`. */
export const recordNameSchema = z
  .string()
  .max(80)
  .regex(
    /^[^\s/.][^\s/]*( [^\s/]+)*$/,
    'A name has words with one space between them, no slash, and no dot at its beginning',
  )
  .refine((name) => !/\p{Cc}/u.test(name), 'A name has no control characters');

/** Name of a preset, which must belong to the caller. */
export const presetNameSchema = recordNameSchema
  .nullish()
  .describe('Name of a stored preset that completes the request: values of the request win.');

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

/** `auto` uses the method that is measured to be faster, or `off`. */
export const speculationModes = ['off', 'ngram', 'mtp', 'auto'] as const;

/** Data types of the engine's KV cache. */
export const kvCacheTypes = [
  'f32',
  'f16',
  'bf16',
  'q8_0',
  'q5_1',
  'q5_0',
  'q4_1',
  'q4_0',
  'iq4_nl',
] as const;

/** How the engine splits a model among GPUs. */
export const splitModes = ['none', 'layer', 'row', 'tensor'] as const;
/** More GPUs than a machine has. */
const maxGpus = 64;
export const tensorSplitSchema = z.array(z.number().min(0).max(1_000_000)).min(1).max(maxGpus);

/** Length of an embedding. */
export const dimensionsSchema = z
  .int()
  .min(1)
  .max(2 ** 31 - 1)
  .nullish()
  .describe(
    "Length of the vectors. A smaller length than the model's is possible if the model was trained for it, like the models of the catalog.",
  );

export const fractionSchema = z.number().min(0).max(1);
export const topKSchema = z.int().min(0).max(1_000_000);
/** The engine computes with 32-bit floats, where smaller numbers become 0. */
export const repeatPenaltySchema = z.number().min(0.01).max(100);
/** Larger integers are reduced to this range while the body is read. */
export const seedSchema = z.int().meta({
  description: 'Any integer, also of 64 bits; it is folded into 32 bits. -1 is a random seed.',
  anySize: true,
});
export const isoTimeSchema = z.iso.datetime({ precision: 3 });

export const truncationSchema = z.enum(['auto', 'disabled']).meta({
  id: 'Truncation',
  description:
    '`auto` leaves out the oldest turns of a conversation that does not fit into the context; the system prompt, tools and the newest turn are kept. With `disabled` such a request fails.',
});
export const droppedTurnsSchema = z
  .int()
  .nonnegative()
  .describe('Turns that `truncation` left out of the prompt. Present if it is `auto`.');

/** Maximum integrations of a request; each one takes a connection or a process. */
export const maxIntegrations = 32;
