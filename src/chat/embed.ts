import type { Prompt } from '../engine/engine.ts';
import type { AcquireRequest } from '../instances/acquire-request.ts';
import { EngineLost } from '../instances/engine-lost.ts';
import type { InstancePool } from '../instances/pool.ts';
import type { ModelSelection } from '../models/model.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { RequestContext } from '../request/request-context.ts';
import { assertTokens } from './assert-tokens.ts';
import { logGeneration } from './log-generation.ts';

export interface EmbedRequest {
  /** Model key or instance id; undefined or empty: the only loaded embedding model. */
  readonly model: string | undefined;
  /** Idle time after which the instance is unloaded. */
  readonly ttlSeconds?: number;
  readonly inputs: readonly Prompt[];
}

export interface EmbedResult {
  readonly selection: ModelSelection;
  /** One vector per input, in order. */
  readonly vectors: readonly (readonly number[])[];
  readonly promptTokens: number;
}

const advice =
  ' LangChain for Python sends tokens of OpenAI models, unless `check_embedding_ctx_length=False` is set.';

/**
 * Embeds texts on an instance of an embedding model; once more on a fresh one if the memory guard ended the first for
 * another request.
 *
 * @throws The errors of `assertTokens`, `InstancePool.acquire` and `Engine.embed`; the signal's reason when aborted.
 */
export async function embed(
  { pool }: { readonly pool: InstancePool },
  { model, ttlSeconds, inputs }: EmbedRequest,
  context: RequestContext,
): Promise<EmbedResult> {
  const target = await pool.resolve(model, 'embedding');
  assertTokens(target.selection.model, inputs, 'inputs', advice);
  const request = { target, ...omitUndefined({ ttlSeconds }) };
  try {
    return await embedOn(pool, request, inputs, context);
  } catch (error) {
    if (!(error instanceof EngineLost) || !error.isRepeatable) throw error;
    return embedOn(pool, request, inputs, context);
  }
}

async function embedOn(
  pool: InstancePool,
  request: AcquireRequest,
  inputs: readonly Prompt[],
  context: RequestContext,
): Promise<EmbedResult> {
  const lease = await pool.acquire(request, context);
  try {
    const admitted = await lease.admitInputs(inputs);
    const { vectors, promptTokens } = await lease.withSlot(async (engine, slotContext) => {
      const record = context.record.beginGeneration('embedding');
      try {
        const embeddings = await engine.embed(admitted, slotContext);
        record.end({ usage: embeddings });
        return embeddings;
      } finally {
        record.end({ hasFailed: true });
      }
    });
    const { selection } = lease;
    logGeneration('embedding', { selection, usage: { promptTokens } }, context);
    return { selection, vectors, promptTokens };
  } finally {
    lease.release();
  }
}
