import * as z from 'zod';

/** A text as the ids of its tokens in the vocabulary of the model. */
export const tokensSchema = z
  .array(
    z
      .int()
      .min(0)
      .max(2 ** 31 - 1),
  )
  .min(1)
  .max(1_000_000)
  .meta({ id: 'V0Tokens', description: "Ids of tokens in the model's own vocabulary." });
