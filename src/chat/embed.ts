import type { Prompt } from '../engine/engine.ts';
import type { InstancePool } from '../instances/pool.ts';
import type { ModelSelection } from '../models/model.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { RequestContext } from '../request/request-context.ts';
import { assertTokens } from './assert-tokens.ts';
import { inOneStep } from './in-one-step.ts';

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
 * Embeds texts on an instance of an embedding model.
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
  return inOneStep(
    pool,
    { target, ...omitUndefined({ ttlSeconds }) },
    {
      operation: 'embedding',
      inputs,
      run: (engine, admitted, slotContext) => engine.embed(admitted, slotContext),
    },
    context,
  );
}
