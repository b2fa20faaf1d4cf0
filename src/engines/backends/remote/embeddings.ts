import * as z from 'zod';
import type { Embeddings, Prompt } from '../../engine.ts';
import type { UpstreamClient } from './upstream-client.ts';
import { estimateTextTokens } from './token-estimate.ts';
import { UpstreamBroken } from './upstream-failure.ts';

const embeddingsBody = z.object({
  data: z.array(z.object({ index: z.number().optional(), embedding: z.array(z.number()) })),
  usage: z.object({ prompt_tokens: z.number() }).nullish(),
});

/**
 * Embeds texts through `/embeddings`.
 *
 * @throws UpstreamBroken for an answer that lacks a vector; the errors of the client.
 */
export async function requestEmbeddings(
  client: UpstreamClient,
  url: string,
  model: string,
  inputs: readonly Prompt[],
  call: Parameters<UpstreamClient['postJson']>[2],
): Promise<Embeddings> {
  const body = { model, input: inputs, encoding_format: 'float' };
  const parsed = embeddingsBody.safeParse(await client.postJson(url, body, call));
  if (!parsed.success || parsed.data.data.length !== inputs.length) {
    throw new UpstreamBroken('it sent no embeddings');
  }
  const { data, usage } = parsed.data;
  const ordered = data
    .map(({ index, embedding }, position) => ({ index: index ?? position, embedding }))
    .toSorted((one, other) => one.index - other.index);
  return {
    vectors: ordered.map(({ embedding }) => embedding),
    promptTokens: usage?.prompt_tokens ?? estimateInputs(inputs),
  };
}

function estimateInputs(inputs: readonly Prompt[]): number {
  return inputs.reduce(
    (sum, input) => sum + (typeof input === 'string' ? estimateTextTokens(input) : input.length),
    0,
  );
}
