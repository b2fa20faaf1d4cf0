import { HearthError, type ErrorCode } from '../../kernel/errors/errors.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { ModelSelection } from '../../library/model.ts';
import type { RequestContext } from '../../kernel/request/request-context.ts';
import type { Chain, ChainLink } from './chain.ts';
import type { ModelTarget } from './open-request.ts';
import type { Origin } from './place-model.ts';
import { chooseEntry, type EntryFacts, type EntryOutcome } from './policy/choose-entry.ts';
import { assertPurpose, type Purpose, purposeOf } from './purpose.ts';

/** The functions that chains need from their owner. */
interface ChainHost {
  /** @throws HearthError `model_not_found`, `corrupt_file`, `forbidden`. */
  find(entry: ChainLink, caller: Origin | undefined): Promise<ModelSelection>;
  /** Makes the target for a model. */
  place(
    selection: ModelSelection,
    purpose: Purpose,
    caller: Origin | undefined,
  ): Promise<ModelTarget>;
  isReady(selection: ModelSelection): Promise<boolean>;
  /** Approximate time that a new request would wait in the model's queue. */
  waitSeconds(selection: ModelSelection): number;
}

/** Errors before the first output after which another model may succeed with the same request. */
const outcomes: Partial<Record<ErrorCode, EntryOutcome>> = {
  queue_full: 'busy',
  model_loading: 'busy',
  model_not_found: 'failed',
  upstream_error: 'failed',
  upstream_unavailable: 'failed',
  corrupt_file: 'failed',
  unsupported_architecture: 'failed',
  unsupported_format: 'failed',
  missing_file: 'failed',
  runtime_unavailable: 'failed',
  load_timeout: 'failed',
  engine_exited: 'failed',
  out_of_memory: 'failed',
  crashed: 'failed',
  memory_exceeded: 'failed',
  unloaded: 'failed',
};

/** Errors for which the request can't be the cause. */
const unusable: ReadonlySet<ErrorCode> = new Set([
  'upstream_unavailable',
  'corrupt_file',
  'unsupported_architecture',
  'unsupported_format',
  'missing_file',
  'runtime_unavailable',
  'load_timeout',
  'engine_exited',
]);

/** Time after a failure for which the model is used only if no other is left. */
const lateMs = 30_000;

const words: Readonly<Record<string, string>> = {
  busy: 'is busy',
  failed: 'failed',
  unsuited: 'cannot take this request',
  missing: 'is not there',
  not_loaded: 'is not loaded',
  failed_lately: 'failed a moment ago',
};

/** Finds models for requests that may use one of several models. */
export class ModelChains {
  readonly #host: ChainHost;
  /** Times of failures, by the model's key and machine. */
  readonly #failures = new Map<string, number>();

  constructor(host: ChainHost) {
    this.#host = host;
  }

  /**
   * Chooses the first model of a chain whose conditions are met.
   *
   * @throws HearthError `model_not_found`, `wrong_model_type`, `corrupt_file` if no entry has a model.
   */
  begin(
    name: string,
    entries: readonly ChainLink[],
    purpose: Purpose,
    caller: Origin | undefined,
  ): Promise<ModelTarget> {
    const start = { index: -1, isLastResort: false, tried: [] };
    return this.#choose({ name, entries, purpose, caller, ...start });
  }

  /**
   * Chooses another model for a request whose model failed before its first output.
   *
   * @throws The error to report if there is none.
   */
  async next(
    { chain, selection }: ModelTarget,
    error: unknown,
    { signal, record }: RequestContext,
  ): Promise<ModelTarget> {
    const outcome = chain && !signal.aborted ? outcomeOf(error, chain) : undefined;
    if (chain === undefined || outcome === undefined) throw error;
    const { index, entries, tried, isLastResort } = chain;
    record.tried = [...tried, { model: entries[index]?.model ?? '', reason: outcome }];
    if (isUnusable(error)) this.#failures.set(nameOf(selection), performance.now());
    const isFinal = outcome === 'busy' && isLastResort;
    const target = await this.#choose({
      ...chain,
      entries: withOutcome(entries, index, isFinal ? 'failed' : outcome),
      failure: outcome === 'unsuited' ? (chain.failure ?? error) : error,
    });
    signal.throwIfAborted();
    record.recover();
    return target;
  }

  async #choose(chain: Chain): Promise<ModelTarget> {
    let { failure, entries } = chain;
    for (;;) {
      const found: (ModelSelection | undefined)[] = [];
      const facts: EntryFacts[] = [];
      let choice: ReturnType<typeof chooseEntry>;
      // One entry at a time, since finding a later one may take long if its server does not respond.
      for (const [index, entry] of entries.entries()) {
        const selection = await this.#host.find(entry, chain.caller).catch((reason: unknown) => {
          failure ??= reason;
          return undefined;
        });
        found.push(selection);
        facts.push(await this.#factsOf(selection, chain.purpose, entry));
        choice = chooseEntry(entries.slice(0, index + 1), facts);
        if (choice?.isLastResort === false) break;
      }
      const selection = found[choice?.index ?? -1];
      if (choice === undefined || selection === undefined) {
        if (failure !== undefined) throw failure;
        for (const each of found) if (each !== undefined) assertPurpose(each, chain.purpose);
        throw new Error('a chain without entries');
      }
      const { index, isLastResort, passed } = choice;
      try {
        const target = await this.#host.place(selection, chain.purpose, chain.caller);
        const tried = passed.map(({ index: each, reason }) => ({
          model: entries[each]?.model ?? '',
          reason,
        }));
        const { maxWaitSeconds } = isLastResort ? {} : (entries[index] ?? {});
        entries = withMachines(entries, index, selection, target.selection);
        return {
          ...target,
          ...omitUndefined({ maxWaitSeconds }),
          chain: { ...chain, entries, index, isLastResort, tried },
        };
      } catch (reason) {
        failure ??= reason;
        entries = withOutcome(entries, index, 'failed');
      }
    }
  }

  async #factsOf(
    selection: ModelSelection | undefined,
    purpose: Purpose,
    { when, maxWaitSeconds, outcome }: ChainLink,
  ): Promise<EntryFacts> {
    const exists = selection !== undefined && purposeOf(selection) === purpose;
    const failedMs = exists ? this.#failures.get(nameOf(selection)) : undefined;
    return {
      exists,
      isLoaded: exists && when === 'loaded' && (await this.#host.isReady(selection)),
      hasFailedLately: failedMs !== undefined && performance.now() - failedMs < lateMs,
      waitSeconds: exists && maxWaitSeconds !== undefined ? this.#host.waitSeconds(selection) : 0,
      outcome,
    };
  }
}

function withOutcome(
  entries: readonly ChainLink[],
  index: number,
  outcome: EntryOutcome,
): readonly ChainLink[] {
  return entries.map((entry, each) => (each === index ? { ...entry, outcome } : entry));
}

/**
 * If the chosen machine is a linked one, replaces the model's entry with one entry for each machine that has the
 * model, beginning with the chosen one.
 */
function withMachines(
  entries: readonly ChainLink[],
  index: number,
  { elsewhere = [], ...first }: ModelSelection,
  chosen: ModelSelection,
): readonly ChainLink[] {
  const { machine } = chosen.model;
  if (machine === undefined || elsewhere.length === 0) return entries;
  const { alias } = first;
  const others = [first, ...elsewhere].filter(({ model }) => model.machine !== machine);
  const entry = entries[index];
  const links = [chosen, ...others].map((each) => ({
    ...entry,
    model: nameOf(each),
    selection: { ...each, ...omitUndefined({ alias }) },
    // An outcome belongs to this machine, since the request has not tried the others yet.
    outcome: each.model.machine === undefined ? entry?.outcome : undefined,
  }));
  return entries.toSpliced(index, 1, ...links);
}

/** True if any request would fail, so that other requests should avoid the model. */
function isUnusable(error: unknown): boolean {
  return error instanceof HearthError && unusable.has(error.code);
}

/** Undefined if no other model would help, or the client must choose. */
function outcomeOf(error: unknown, { tried }: Chain): EntryOutcome | undefined {
  if (!(error instanceof HearthError)) return undefined;
  const isFallback = tried.length > 0;
  return outcomes[error.code] ?? (isFallback && error.status === 400 ? 'unsuited' : undefined);
}

/** Logs and records which model a request uses, if that is not the first of its chain. */
export function noteChoice(
  { name, tried }: Chain,
  { selection }: ModelTarget,
  { record, logger }: RequestContext,
): void {
  if (tried.length === 0 || record.tried === tried) return;
  record.tried = tried;
  const passed = tried.map(({ model, reason }) => `${model} ${words[reason] ?? reason}`);
  logger.info(`${name}: ${passed.join(', ')}, using ${nameOf(selection)}`);
}

function nameOf({ model: { key, machine } }: ModelSelection): string {
  return machine === undefined ? key : `${key}@${machine}`;
}
