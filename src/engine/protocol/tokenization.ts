import * as z from 'zod';
import { HearthError } from '../../contract/errors.ts';
import type { EngineConnection } from '../../net/engine-connection.ts';
import { replyFailure } from './engine-failure.ts';

const tokensBody = z.object({ tokens: z.array(z.number()) });

/** Counts the tokens of a text through `/tokenize`, without adding special tokens. */
export async function requestTokenCount(
  connection: EngineConnection,
  text: string,
  signal: AbortSignal,
): Promise<number> {
  const body = { content: text, add_special: false };
  const reply = await connection.postJson('/tokenize', body, signal);
  if (reply.status !== 200) throw replyFailure(reply);
  const parsed = tokensBody.safeParse(reply.body);
  if (parsed.success) return parsed.data.tokens.length;
  throw new HearthError('internal', 'The engine sent no tokens.', { cause: parsed.error });
}
