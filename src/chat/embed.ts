import type { InstancePool } from '../instances/pool.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { RequestContext } from '../request/request-context.ts';

export interface EmbedCall {
  /** Model key or instance id; empty or absent: the only loaded embedding model. */
  readonly identifier: string | undefined;
  readonly ttlSeconds?: number;
  readonly inputs: readonly string[];
}

export interface EmbedResult {
  /** Model and variant that made the vectors, such as `hearth/starter-embed@q8_0`. */
  readonly model: string;
  readonly vectors: readonly (readonly number[])[];
  readonly promptTokens: number;
}

/**
 * Embeds texts on an instance of an embedding model.
 *
 * @throws HearthError those of `InstancePool.acquire` and `Engine.embed`.
 */
export async function embed(
  pool: InstancePool,
  call: EmbedCall,
  context: RequestContext,
): Promise<EmbedResult> {
  const { identifier, ttlSeconds, inputs } = call;
  const target = await pool.resolve(identifier, 'embedding');
  const lease = await pool.acquire({ target, ...omitUndefined({ ttlSeconds }) }, context);
  try {
    const { vectors, promptTokens } = await lease.withSlot((engine, leaseContext) =>
      engine.embed(inputs, leaseContext),
    );
    const { model, variant } = lease.selection;
    return { model: `${model.key}@${variant.id}`, vectors, promptTokens };
  } finally {
    lease.release();
  }
}
