import type { Logger } from '../../../kernel/logger.ts';
import type { EngineStats } from '../../engine.ts';
import type { EngineProcess, Speculation } from '../../launch/launch.ts';
import { draftLengths } from '../../launch/server-arguments.ts';
import {
  measurePredictions,
  measureRepeats,
  type Measurement,
  type Sample,
} from './measure-steps.ts';
import { RunningGain } from './running-gain.ts';
import { breakEvenAcceptance, pays, speculationGain, type StepTimes } from './step-times.ts';

interface Choice {
  /** Absent: no drafts. */
  readonly speculation?: Speculation;
  readonly times?: StepTimes;
}

interface Candidates {
  /** Identifies all inputs that determine how long a step takes: model, runtime, threads, ... */
  readonly key: string;
  readonly model: string;
  /** A further way to draft, in addition to repeated text. */
  readonly predictor: Exclude<Speculation, { kind: 'ngram' }> | undefined;
  /** Starts an engine. */
  readonly launch: (speculation: Speculation | undefined) => Promise<EngineProcess>;
  readonly signal: AbortSignal;
}

/**
 * Starts engines with the speculation that is fastest when measured. An engine's speculation is fixed when it starts,
 * so an engine whose drafts are too slow is replaced by another one. A choice is kept until an instance shows that it
 * does not pay.
 */
export class SpeculationChooser {
  readonly #choices = new Map<string, Choice>();
  readonly #logger: Logger | undefined;

  constructor(logger: Logger | undefined) {
    this.#logger = logger;
  }

  async start(candidates: Candidates): Promise<EngineProcess> {
    const { key, launch } = candidates;
    const known = this.#choices.get(key);
    if (known !== undefined) return this.#watch(await launch(known.speculation), known, candidates);
    const { choice, engine } = await this.#measure(candidates);
    this.#choices.set(key, choice);
    return this.#watch(engine ?? (await launch(choice.speculation)), choice, candidates);
  }

  async #measure(
    candidates: Candidates,
  ): Promise<{ readonly choice: Choice; readonly engine?: EngineProcess }> {
    const { predictor } = candidates;
    let plainMs: number | undefined;
    const repeated = await this.#try({ kind: 'ngram' }, candidates, async (sample) => {
      const measured = await measureRepeats(sample, draftLengths.ngram);
      plainMs = measured?.times.plainMs;
      return measured;
    });
    const plainStepMs = plainMs;
    if (predictor === undefined || plainStepMs === undefined) return repeated ?? { choice: {} };
    await repeated?.engine.stop();
    const predicted = await this.#try(predictor, candidates, (sample) =>
      measurePredictions(sample, draftLengths[predictor.kind], plainStepMs),
    );
    return predicted ?? { choice: repeated?.choice ?? {} };
  }

  /** Starts an engine and measures it. The engine is stopped unless its drafts pay. */
  async #try(
    speculation: Speculation,
    { model, launch, signal }: Candidates,
    measure: (sample: Sample) => Promise<Measurement | undefined>,
  ): Promise<{ readonly choice: Choice; readonly engine: EngineProcess } | undefined> {
    const { kind } = speculation;
    let engine: EngineProcess | undefined;
    try {
      engine = await launch(speculation);
      const { sample, slots } = engine;
      if (sample === undefined) throw new TypeError('an engine that drafts has no samples');
      const measured = await measure((request) => sample(request, signal));
      await slots?.erase(0, signal);
      if (measured !== undefined) {
        const { times, counts } = measured;
        const isFaster = pays(kind, times, counts);
        const figures = { ...times, breakEven: breakEvenAcceptance(times), ...counts };
        this.#logger?.info({ model, kind, isFaster, ...figures }, 'speculation measured');
        if (isFaster) return { choice: { speculation, times }, engine };
      }
    } catch (err) {
      if (signal.aborted) {
        await engine?.stop();
        throw err;
      }
      this.#logger?.warn({ model, kind, err }, 'speculation not measured');
    }
    await engine?.stop();
    return undefined;
  }

  /**
   * Adds the choice to the engine's stats, and counts its drafts. If they cost more time than they save, the next
   * load of the model makes none.
   */
  #watch(
    started: EngineProcess,
    { speculation, times }: Choice,
    { key, model }: Candidates,
  ): EngineProcess {
    const chosenSpeculation = speculation?.kind ?? 'off';
    const stats = async (): Promise<EngineStats> => ({
      ...(await started.stats()),
      chosenSpeculation,
    });
    const handle = { ...started, stats };
    if (times === undefined) return handle;
    const gain = new RunningGain(times, (counts) => {
      this.#choices.set(key, {});
      const figures = { ...counts, gain: speculationGain(times, counts) };
      this.#logger?.info({ model, ...figures }, 'speculation did not pay; the next load has none');
    });
    const { engine } = handle;
    const generate: typeof engine.generate = (request, context) =>
      gain.observe(engine.generate(request, context));
    return { ...handle, engine: { ...engine, generate } };
  }
}
