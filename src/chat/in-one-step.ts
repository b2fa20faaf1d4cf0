import type { Engine, Prompt } from '../engines/engine.ts';
import type { AcquireRequest } from '../engines/loads/acquire-request.ts';
import { EngineLost } from '../engines/loads/engine-lost.ts';
import type { InstancePool } from '../engines/loads/pool.ts';
import type { ModelSelection } from '../models/model.ts';
import type { Operation } from '../observability/generation-record.ts';
import type { RequestContext } from '../request/request-context.ts';
import { logGeneration } from './log-generation.ts';

interface Step<Result> {
  readonly operation: Operation;
  /** Checked against the context before `run`. */
  readonly inputs: readonly Prompt[];
  /** @param admitted The inputs, without what the tokenizer ignores. */
  readonly run: (
    engine: Engine,
    admitted: readonly Prompt[],
    context: RequestContext,
  ) => Promise<Result>;
}

/**
 * Runs one call of the engine that has no stream, such as embedding, in a slot of an instance; once more on a fresh
 * instance if the memory guard ended the first for another request.
 *
 * @throws The errors of `InstancePool.acquire`, `InstanceLease.admitInputs` and `run`; the signal's reason when aborted.
 */
export async function inOneStep<Result extends { readonly promptTokens: number }>(
  pool: InstancePool,
  request: AcquireRequest,
  step: Step<Result>,
  context: RequestContext,
): Promise<Result & { readonly selection: ModelSelection }> {
  try {
    return await runOnce(pool, request, step, context);
  } catch (error) {
    if (!(error instanceof EngineLost) || !error.isRepeatable) throw error;
    return runOnce(pool, request, step, context);
  }
}

async function runOnce<Result extends { readonly promptTokens: number }>(
  pool: InstancePool,
  request: AcquireRequest,
  { operation, inputs, run }: Step<Result>,
  context: RequestContext,
): Promise<Result & { readonly selection: ModelSelection }> {
  const lease = await pool.acquire(request, context);
  try {
    const admitted = await lease.admitInputs(inputs);
    const result = await lease.withSlot(async (engine, slotContext) => {
      const record = context.record.beginGeneration(operation);
      try {
        const usage = await run(engine, admitted, slotContext);
        record.end({ usage });
        return usage;
      } finally {
        record.end({ hasFailed: true });
      }
    });
    const { selection } = lease;
    logGeneration(operation, { selection, usage: result }, context);
    return { ...result, selection };
  } finally {
    lease.release();
  }
}
