import type { Engines } from '../engines/engines.ts';
import type { ModelTarget } from '../engines/loads/open-request.ts';
import type { ModelEntry, ModelSelection } from '../library/model.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { RequestContext } from '../kernel/request/request-context.ts';
import { logGeneration } from './generation-stats.ts';
import { withFallbacks } from './request-target.ts';

export interface RerankRequest {
  /** Model key or instance id; undefined or empty: the only loaded reranker. */
  readonly model: string | undefined;
  /** Idle time after which the instance is unloaded. */
  readonly ttlSeconds?: number;
  readonly query: string;
  readonly documents: readonly string[];
}

export interface RankedDocument {
  /** Position of the document in the request. */
  readonly index: number;
  /** 0 to 1. */
  readonly relevance: number;
}

export interface RerankResult {
  readonly selection: ModelSelection;
  /** All documents, most relevant first. */
  readonly ranking: readonly RankedDocument[];
  readonly promptTokens: number;
}

/**
 * Sorts documents by relevance to a query, on an instance of a model with a rank head.
 *
 * @throws HearthError `context_length_exceeded` if a document together with the query is too long; the errors of
 *   `Engines.open` and `Session.rank`; the signal's reason when aborted.
 */
export async function rerank(
  { pool }: { readonly pool: Engines },
  request: RerankRequest,
  context: RequestContext,
): Promise<RerankResult> {
  const first = await pool.resolve(request.model, 'reranking', context.caller);
  return withFallbacks(pool, first, context, (target) =>
    rerankWith(pool, target, request, context),
  );
}

async function rerankWith(
  pool: Engines,
  target: ModelTarget,
  { ttlSeconds, query, documents }: RerankRequest,
  context: RequestContext,
): Promise<RerankResult> {
  const session = pool.open({ target, ...omitUndefined({ ttlSeconds }) }, context);
  try {
    for await (const _ of session.ready());
    const { scores, isNormalized = false, promptTokens } = await session.rank(query, documents);
    const { selection } = session.lease.instance;
    logGeneration('rerank', { selection, usage: { promptTokens } }, context);
    const ranking = scores
      .map((score, index) => ({
        index,
        relevance: isNormalized ? score : toRelevance(score, selection.model),
      }))
      .toSorted((left, right) => right.relevance - left.relevance);
    return { selection, ranking, promptTokens };
  } finally {
    session.close();
  }
}

/** For these architectures llama.cpp applies a softmax to the scores, which are therefore probabilities. */
const probabilityArchitectures = /^qwen3/u;

/** Other rank heads return a logit, which the logistic function maps to 0 to 1, as the models' authors do. */
function toRelevance(score: number, { architecture }: ModelEntry): number {
  return probabilityArchitectures.test(architecture) ? score : 1 / (1 + Math.exp(-score));
}
