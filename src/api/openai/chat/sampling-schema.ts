import * as z from 'zod';
import {
  fractionSchema,
  repeatPenaltySchema,
  seedSchema,
  textSchema,
  ttlSchema,
} from '../../../kernel/field.ts';
import * as named from '../../kit/named.ts';

/** Bounded, since the stream holds back text that may be the beginning of a stop string. */
const stopSchema = textSchema.max(1000);

/** Each bias costs the engine time for every token. */
const maxBiases = 1000;

/** Number of choices for endpoints that support only one. */
export const oneSchema = z.literal(1);

/** Request fields that chat and text completions share. OpenAI clients send `null` for absent fields. */
export const v0GenerationFields = {
  model: z.string().max(512).nullish().describe('The only loaded model if absent or empty.'),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: fractionSchema.nullish(),
  top_k: z.int().min(-1).max(1_000_000).nullish().describe('0, or -1 as in vLLM: no limit.'),
  min_p: fractionSchema.nullish(),
  repeat_penalty: repeatPenaltySchema.nullish(),
  repetition_penalty: repeatPenaltySchema.nullish().describe('`repeat_penalty`, as in vLLM.'),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  seed: seedSchema.nullish(),
  stop: z
    .union([stopSchema, z.array(stopSchema).max(64)])
    .meta({
      id: 'V0Stop',
      description: 'The answer ends before these texts. The reasoning of a chat may contain them.',
    })
    .nullish(),
  logit_bias: z
    .record(z.string().regex(/^\d{1,9}$/), z.number().min(-100).max(100))
    .refine(
      (biases) => Object.keys(biases).length <= maxBiases,
      `It must have at most ${maxBiases} tokens`,
    )
    .meta({ maxProperties: maxBiases })
    .nullish(),
  max_tokens: z
    .int()
    .min(-1)
    .max(2 ** 31 - 1)
    .refine((count) => count !== 0, 'It must be -1 or at least 1')
    .meta({ not: { const: 0 } })
    .nullish()
    .describe('-1 or absent: no limit but the context length.'),
  stream: z.boolean().nullish(),
  stream_options: named
    .looseObject('V0StreamOptions', { include_usage: z.boolean().nullish() })
    .nullish(),
  ttl: ttlSchema.nullish(),
};
