import * as z from 'zod';
import { HearthError } from '../../../contract/errors.ts';
import type { EngineConnection } from '../../../net/engine-connection.ts';
import { replyFailure } from './engine-failure.ts';

const tokensBody = z.object({ tokens: z.array(z.number()) });

/** Counts the tokens of a text through `/tokenize`, without adding special tokens. */
export async function requestTokenCount(
  connection: EngineConnection,
  text: string,
  signal: AbortSignal,
): Promise<number> {
  return (await requestTokens(connection, { content: text, add_special: false }, signal)).length;
}

/** The tokens of a rendered prompt, as the engine reads it. */
export function requestPromptTokens(
  connection: EngineConnection,
  prompt: string,
  signal: AbortSignal,
): Promise<readonly number[]> {
  return requestTokens(
    connection,
    { content: prompt, add_special: true, parse_special: true },
    signal,
  );
}

async function requestTokens(
  connection: EngineConnection,
  body: object,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const reply = await connection.postJson('/tokenize', body, signal);
  if (reply.status !== 200) throw replyFailure(reply);
  const parsed = tokensBody.safeParse(reply.body);
  if (parsed.success) return parsed.data.tokens;
  throw new HearthError('internal', 'The engine sent no tokens.', { cause: parsed.error });
}

const promptCountBody = z.object({ input_tokens: z.int().nonnegative() });

/**
 * Counts the tokens of the prompt of a chat body through `/v1/chat/completions/input_tokens`. It needs no slot of the
 * engine.
 */
export async function requestPromptTokenCount(
  connection: EngineConnection,
  body: object,
  signal: AbortSignal,
): Promise<number> {
  const reply = await connection.postJson('/v1/chat/completions/input_tokens', body, signal);
  if (reply.status !== 200) throw replyFailure(reply);
  const parsed = promptCountBody.safeParse(reply.body);
  if (parsed.success) return parsed.data.input_tokens;
  throw new HearthError('internal', 'The engine sent no count of tokens.', { cause: parsed.error });
}
