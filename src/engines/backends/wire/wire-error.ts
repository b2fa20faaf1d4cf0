import * as z from 'zod';

/** llama-server's error object. Other servers send only some of the fields. Fields of other types count as missing. */
const wireError = z.object({
  code: z.number().optional().catch(undefined),
  type: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  n_prompt_tokens: z.number().optional().catch(undefined),
  n_ctx: z.number().optional().catch(undefined),
});

export type WireError = Readonly<z.infer<typeof wireError>>;

/** Reads the `error` of a response or an event, which is an object or a plain message. */
export function readWireError(error: unknown): WireError {
  if (typeof error === 'string') return { message: error };
  return wireError.safeParse(error).data ?? {};
}
