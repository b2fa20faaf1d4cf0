import * as z from 'zod';
import type { Relevance } from '../../engine.ts';
import { estimateTextTokens } from './token-estimate.ts';

const rerankBody = z.object({
  results: z.array(z.object({ index: z.int(), relevance_score: z.number() })),
  // Older versions of vLLM only have the total.
  usage: z
    .object({ prompt_tokens: z.number().nullish(), total_tokens: z.number().nullish() })
    .nullish(),
});

/** Reads the answer of `/rerank`; undefined if the score of a document is missing. */
export function readRelevance(
  reply: unknown,
  query: string,
  documents: readonly string[],
): Relevance | undefined {
  const { success, data } = rerankBody.safeParse(reply);
  if (!success || data.results.length !== documents.length) return undefined;
  const ordered = data.results.toSorted((left, right) => left.index - right.index);
  if (!ordered.every(({ index }, position) => index === position)) return undefined;
  return {
    scores: ordered.map((result) => result.relevance_score),
    promptTokens:
      data.usage?.prompt_tokens ??
      data.usage?.total_tokens ??
      documents.reduce((sum, document) => sum + estimateTextTokens(query + document), 0),
  };
}
