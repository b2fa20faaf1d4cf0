import { omitUndefined } from '../omit-undefined.ts';
import type { InstancePool } from '../instances/pool.ts';
import { leaseFailure } from './lease-failure.ts';

export interface EmbedCall {
  readonly identifier: string | undefined;
  readonly ttlSeconds?: number;
  /** Who asks, for taking turns. */
  readonly caller: string;
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
  signal: AbortSignal,
): Promise<EmbedResult> {
  const { identifier, ttlSeconds, caller, inputs } = call;
  const lease = await pool.acquire(
    { identifier, purpose: 'embedding', caller, ...omitUndefined({ ttlSeconds }) },
    signal,
  );
  try {
    const { vectors, promptTokens } = await lease.engine.embed(inputs, lease.signal);
    const { model, variant } = lease.selection;
    return { model: `${model.key}@${variant.id}`, vectors, promptTokens };
  } catch (error) {
    throw await leaseFailure(lease, error);
  } finally {
    lease.release();
  }
}
