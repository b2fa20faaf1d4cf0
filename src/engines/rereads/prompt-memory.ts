import type { Reread } from '../../kernel/request/request-record.ts';
import type { RequestContext } from '../../kernel/request/request-context.ts';
import type { Engine, GenerationRequest, GenerationUsage } from '../engine.ts';
import { adapterMix } from '../states/prefix-hash.ts';
import { comparePrompts, type Comparison } from './compare-prompts.ts';
import { explainDifference, explainLoss } from './explain-reread.ts';
import { outlineOf, withAnswer, type PromptOutline } from './prompt-outline.ts';

interface EarlierPrompt {
  readonly outline: PromptOutline;
  readonly engine: WeakRef<Engine>;
}

/** The prompts of one owner for one model with one mix of adapters, newest first. */
interface History {
  prompts: EarlierPrompt[];
  /** True if the engine has reported cached tokens: some servers never do. */
  reportsCache: boolean;
  /** Number of consecutive prompts whose beginning changed. */
  changes: number;
  warnedAt: number;
}

interface Generation {
  readonly engine: Engine;
  readonly request: GenerationRequest;
  readonly usage: GenerationUsage;
  readonly answer: string;
}

/** Shorter prompts are not remembered, since they are read quickly. */
export const minPromptTokens = 256;
/** Rereading fewer tokens is not logged: the engine rereads the last tokens of each prompt anyway. */
const minRereadTokens = 128;
const maxPrompts = 16;
const maxHistories = 64;
/** Consecutive changes after which a warning about the client is logged, and the minimum time between two warnings. */
const changesToWarn = 3;
const warnEveryMs = 60 * 60 * 1000;

/** Remembers hashes of the latest prompts, to explain why the engine read a prompt again. */
export class PromptMemory {
  readonly #histories = new Map<string, History>();

  /**
   * Remembers a generation that has ended, and logs why tokens were read again. The prompt must have at least
   * `minPromptTokens`.
   *
   * @returns Undefined if too few tokens were read again, or the reason is unknown.
   */
  note(generation: Generation, context: RequestContext): Reread | undefined {
    const { engine, request, usage, answer } = generation;
    const { model = '' } = context.record;
    const { promptTokens, cachedTokens } = usage;
    const history = this.#historyOf(
      JSON.stringify([context.caller.tokenId, model, adapterMix(request.adapters)]),
    );
    const outline = outlineOf(request);
    const reread =
      promptTokens - cachedTokens < minRereadTokens
        ? undefined
        : explain(history, outline, generation);
    history.reportsCache ||= cachedTokens > 0;
    history.prompts = [
      { outline: withAnswer(outline, answer), engine: new WeakRef(engine) },
      ...history.prompts.slice(0, maxPrompts - 1),
    ];
    log(history, reread, model, context);
    return reread;
  }

  #historyOf(key: string): History {
    const found = this.#histories.get(key) ?? {
      prompts: [],
      reportsCache: false,
      changes: 0,
      warnedAt: -Infinity,
    };
    this.#histories.delete(key);
    this.#histories.set(key, found);
    for (const oldest of this.#histories.keys()) {
      if (this.#histories.size <= maxHistories) break;
      this.#histories.delete(oldest);
    }
    return found;
  }
}

function explain(
  { prompts, reportsCache }: History,
  outline: PromptOutline,
  { request, usage, engine }: Generation,
): Reread | undefined {
  let nearest: { readonly prompt: EarlierPrompt; readonly comparison: Comparison } | undefined;
  for (const prompt of prompts) {
    const comparison = comparePrompts(prompt.outline, outline);
    if (nearest === undefined || knownOf(comparison) > knownOf(nearest.comparison)) {
      nearest = { prompt, comparison };
    }
  }
  if (nearest === undefined) return undefined;
  const { prompt, comparison } = nearest;
  const { promptTokens, cachedTokens } = usage;
  const tokensOf = (characters: number) =>
    Math.round((promptTokens * characters) / Math.max(1, outline.characters));
  const common = Math.min(tokensOf(comparison.commonCharacters), promptTokens);
  const lost = reportsCache ? common - cachedTokens : 0;
  const { difference } = comparison;
  const repeated = difference === undefined ? 0 : tokensOf(comparison.repeatedCharacters);
  if (Math.max(lost, repeated) < minRereadTokens) return undefined;
  if (difference === undefined || lost > repeated) {
    return explainLoss(prompt.engine.deref() === engine, lost);
  }
  const known = { ...comparison, difference };
  return explainDifference(prompt.outline, outline, request, known, repeated);
}

function knownOf({ commonCharacters, repeatedCharacters }: Comparison): number {
  return commonCharacters + repeatedCharacters;
}

function log(
  history: History,
  reread: Reread | undefined,
  model: string,
  { logger, caller }: RequestContext,
): void {
  const isChange = reread?.cause === 'system_prompt_changed' || reread?.cause === 'tools_changed';
  history.changes = isChange ? history.changes + 1 : 0;
  if (reread === undefined) return;
  const fields = { event: 'prompt.reread', model, cause: reread.cause, tokens: reread.tokens };
  logger.info(fields, reread.message);
  const now = performance.now();
  if (history.changes < changesToWarn || now - history.warnedAt < warnEveryMs) return;
  history.warnedAt = now;
  const client = caller.identity?.name ?? null;
  logger.warn(
    { ...fields, client },
    `A client changes the beginning of its prompts each time. ${reread.message}`,
  );
}
