import { describe, expect, it } from 'vitest';
import { createScriptedLauncher } from '../../../../test/setup/instances/scripted-launcher.ts';
import { testContext } from '../../../../test/setup/test-context.ts';
import type { GenerationRequest, GenerationUsage } from '../../engine.ts';
import type { EngineProcess, Speculation } from '../../launch/launch.ts';
import { SpeculationChooser } from './speculation-chooser.ts';

type Kind = Speculation['kind'];

const mtp = { kind: 'mtp' } as const;
const usage: GenerationUsage = {
  promptTokens: 8,
  cachedTokens: 0,
  completionTokens: 9,
  promptMs: 1,
  generationMs: 80,
};
const spec = {
  runtime: {
    name: 'scripted',
    version: '1',
    supportedFormats: [],
    source: 'setting',
    command: 'engine',
    leadingArguments: [],
  },
  modelPath: '/model.gguf',
  purpose: 'generation',
  contextLength: 1024,
  parallel: 1,
  promptCacheMiB: 0,
  loadTimeoutMs: 1000,
} as const;

/** Engines whose plain steps take 10 ms; `draftedMs` has the times of steps with a draft. */
function setUp(draftedMs: Partial<Record<Kind, number>>) {
  const launcher = createScriptedLauncher();
  const launched: (Kind | 'none')[] = [];
  const controller = new AbortController();
  const launch = async (speculation: Speculation | undefined): Promise<EngineProcess> => {
    launched.push(speculation?.kind ?? 'none');
    const { signal } = controller;
    const process = await launcher.launch({ ...spec, ...(speculation && { speculation }) }, signal);
    if (speculation === undefined) return process;
    const { kind } = speculation;
    const sample = async (request: GenerationRequest): Promise<GenerationUsage> => {
      const ms = draftedMs[kind];
      if (ms === undefined) throw new Error(`no ${kind}`);
      const isPlain = kind === 'ngram' && request.maxTokens === 8;
      if (isPlain) return usage;
      return kind === 'ngram'
        ? {
            ...usage,
            completionTokens: 27,
            generationMs: 2 * ms,
            drafts: { proposedTokens: 24, acceptedTokens: 24 },
          }
        : {
            ...usage,
            completionTokens: 31,
            generationMs: 10 * ms,
            drafts: { proposedTokens: 30, acceptedTokens: 20 },
          };
    };
    return { ...process, sample };
  };
  const chooser = new SpeculationChooser(undefined);
  const start = (predictor?: typeof mtp, key = 'key') =>
    chooser.start({ key, model: 'test/model', predictor, launch, signal: controller.signal });
  const running = () =>
    launcher.processes
      .filter((each) => !each.isStopped())
      .map((each) => each.spec.speculation?.kind);
  return { launcher, launched, start, running, controller };
}

describe('a load that chooses its speculation', () => {
  it('tells its choice', async () => {
    const drafting = await setUp({ ngram: 40 }).start();
    expect(await drafting.stats()).toMatchObject({ chosenSpeculation: 'ngram' });
    const plain = await setUp({ ngram: 400 }).start();
    expect(await plain.stats()).toMatchObject({ chosenSpeculation: 'off' });
  });

  it('keeps the engine that drafts, if a draft costs little', async () => {
    const { start, launched, running } = setUp({ ngram: 40 });
    await start();
    expect(launched).toEqual(['ngram']);
    expect(running()).toEqual(['ngram']);
  });

  it('starts another one without drafts, if a draft costs too much, and remembers that', async () => {
    const { start, launched, running } = setUp({ ngram: 90 });
    await start();
    await start();
    expect(launched).toEqual(['ngram', 'none', 'none']);
    expect(running()).toEqual([undefined, undefined]);
    await start(undefined, 'other');
    expect(launched.slice(3)).toEqual(['ngram', 'none']);
  });

  it('prefers the layers of the model, if they make an ordinary answer faster', async () => {
    const { start, launched, running } = setUp({ ngram: 40, mtp: 20 });
    await start(mtp);
    expect(launched).toEqual(['ngram', 'mtp']);
    expect(running()).toEqual(['mtp']);
    const slow = setUp({ ngram: 40, mtp: 40 });
    await slow.start(mtp);
    expect(slow.launched).toEqual(['ngram', 'mtp', 'ngram']);
    expect(slow.running()).toEqual(['ngram']);
  });

  it('drafts nothing where nothing can be measured', async () => {
    const { start, launched, running } = setUp({});
    await start(mtp);
    expect(launched).toEqual(['ngram', 'none']);
    expect(running()).toEqual([undefined]);
  });

  it('drafts nothing where a disturbed measurement says that a draft takes less time than a token', async () => {
    const { start, launched } = setUp({ ngram: 4 });
    await start();
    expect(launched).toEqual(['ngram', 'none']);
  });

  it('leaves no engine behind when it is aborted', async () => {
    const { start, running, controller, launcher } = setUp({ ngram: 40 });
    launcher.onLaunch = async () => controller.abort(new Error('aborted'));
    await expect(start()).rejects.toThrow('aborted');
    expect(running()).toEqual([]);
  });
});

describe('an instance whose drafts do not pay', () => {
  async function answer(process: EngineProcess) {
    const request = { kind: 'completion', prompt: 'x', sampling: {} } as const;
    for await (const event of process.engine.generate(request, testContext())) {
      expect(event.type).toBe('generation.end');
    }
  }

  it.each([
    [0, ['ngram', 'none']],
    [540, ['ngram', 'ngram']],
  ])('with %i of 600 drafted tokens accepted', async (acceptedTokens, expected) => {
    const { start, launched, launcher } = setUp({ ngram: 60 });
    launcher.onGenerate = async function* onGenerate() {
      const drafts = { proposedTokens: 600, acceptedTokens };
      const end = { stopReason: 'eosFound', isMalformed: false } as const;
      yield { type: 'generation.end', ...end, usage: { ...usage, completionTokens: 800, drafts } };
    };
    await answer(await start());
    await start();
    expect(launched).toEqual(expected);
  });
});
