import * as z from 'zod';
import { HearthError } from '../../../contract/errors.ts';
import type { EngineConnection } from '../../../net/engine-connection.ts';
import type { Relevance } from '../../engine.ts';
import { replyFailure } from './engine-failure.ts';

const rerankBody = z.object({
  usage: z.object({ prompt_tokens: z.number() }),
  results: z.array(z.object({ index: z.int(), relevance_score: z.number() })),
});

/**
 * Scores documents through `/v1/rerank`.
 *
 * @throws HearthError `context_length_exceeded`.
 */
export async function requestRelevance(
  connection: EngineConnection,
  query: string,
  documents: readonly string[],
  signal: AbortSignal,
  contextLength?: number,
): Promise<Relevance> {
  const reply = await connection.postJson('/v1/rerank', { query, documents }, signal);
  if (reply.status !== 200) throw replyFailure(reply, contextLength);
  const parsed = rerankBody.safeParse(reply.body);
  const ordered = parsed.data?.results.toSorted((left, right) => left.index - right.index);
  if (
    ordered === undefined ||
    !ordered.every(({ index }, position) => index === position) ||
    ordered.length !== documents.length
  ) {
    throw new HearthError('internal', 'The engine sent no score for each document.', {
      cause: parsed.error,
    });
  }
  return {
    scores: ordered.map((result) => result.relevance_score),
    promptTokens: parsed.data?.usage.prompt_tokens ?? 0,
  };
}
