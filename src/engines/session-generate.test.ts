import { beforeEach, describe, expect, it, vi } from 'vitest';
import { testContext } from '../../test/setup/test-context.ts';
import { collect } from '../../test/setup/collect.ts';
import { scriptedPool } from '../../test/setup/instances/scripted-pool.ts';
import { modelEntry } from '../../test/setup/models/model-entry.ts';
import type { GenerationEvent } from './engine.ts';
import type { SessionEvent } from './session-event.ts';

const usage = {
  promptTokens: 7,
  cachedTokens: 3,
  completionTokens: 5,
  promptMs: 1,
  generationMs: 2,
};
const end: GenerationEvent = {
  type: 'generation.end',
  stopReason: 'eosFound',
  isMalformed: true,
  usage,
};
const cut: GenerationEvent = { type: 'generation.cut', usage, reasoningTokens: 0 };
const progress: GenerationEvent = {
  type: 'prompt.progress',
  processedTokens: 1,
  cachedTokens: 0,
  totalTokens: 7,
};
const reasoning: GenerationEvent = { type: 'reasoning.delta', text: 'Hm. ' };
const content: GenerationEvent = { type: 'content.delta', text: 'Hi' };
const call: GenerationEvent = { type: 'toolCall.delta', index: 0, argumentsJson: '{}' };

/** The fake time in milliseconds. Each event of the engine takes one second. */
let now = 0;
beforeEach(() => {
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  return () => clock.mockRestore();
});

/** Runs a generation that begins at 9 s. Returns its steps, and the texts whose tokens were counted. */
async function run(...events: readonly GenerationEvent[]) {
  now = 9000;
  const counted: string[] = [];
  const { pool, launcher } = scriptedPool(modelEntry());
  launcher.onGenerate = async function* () {
    for (const event of events) {
      now += 1000;
      yield event;
    }
  };
  await pool.load('test/model', {}, testContext());
  const [process] = launcher.processes;
  if (process === undefined) throw new Error('no process');
  process.engine.countTokens = async (text) => {
    now += 1000;
    return counted.push(text) * 13;
  };
  const request = { kind: 'completion', prompt: 'Once', sampling: {} } as const;
  const steps: SessionEvent[] = [];
  const context = testContext();
  const target = await pool.resolve('test/model', 'generation');
  const session = pool.open({ target }, context);
  await collect(session.ready());
  now = 10_000;
  for await (const step of session.generate(request)) {
    steps.push(step);
    if (events.length > 0 && steps.length > events.length) break;
  }
  session.close();
  return { steps, counted, outcomes: context.record.generations.map(({ outcome }) => outcome) };
}

const lastReport = ({ steps }: Awaited<ReturnType<typeof run>>) => {
  const step = steps.at(-1);
  if (step === undefined || !('report' in step)) throw new Error('The generation has no report');
  return step.report;
};

describe('Session.generate', () => {
  it('passes on the events between the start of the prompt and a report', async () => {
    const { steps } = await run(progress, reasoning, content, call, end);
    expect(steps).toEqual([
      { type: 'prompt.start' },
      progress,
      reasoning,
      content,
      call,
      {
        type: 'generation.report',
        report: {
          stopReason: 'eosFound',
          usage,
          isMalformed: true,
          reasoningTokens: 13,
          timeToFirstTokenSeconds: 3,
        },
      },
    ]);
  });

  it('counts the tokens of the whole reasoning once, and nothing without one', async () => {
    expect((await run(reasoning, reasoning, content, end)).counted).toEqual(['Hm. Hm. ']);
    const plain = await run(content, end);
    expect(plain.counted).toEqual([]);
    expect(lastReport(plain)).toMatchObject({ reasoningTokens: 0 });
  });

  it.each([
    ['reasoning', [reasoning, content, end], 2],
    ['an answer', [content, content, end], 2],
    ['a tool call', [progress, call, end], 3],
    ['nothing', [progress, end], 3],
  ] as const)('measures the time until the first token of %s', async (_case, events, seconds) => {
    expect(lastReport(await run(...events)).timeToFirstTokenSeconds).toBe(seconds);
  });

  it('reports a generation that was cut with the time since its first token', async () => {
    expect(lastReport(await run(progress, content, content, cut))).toEqual({
      usage: { ...usage, generationMs: 2000 },
      reasoningTokens: 0,
      timeToFirstTokenSeconds: 3,
    });
    expect(lastReport(await run(cut))).toEqual({
      usage: { ...usage, generationMs: 0 },
      reasoningTokens: 0,
      timeToFirstTokenSeconds: 2,
    });
  });

  it("takes the engine's count of reasoning tokens in a cut generation", async () => {
    const inAnswer: GenerationEvent = { ...cut, reasoningTokens: 3 };
    const { counted, ...cutRun } = await run(reasoning, content, inAnswer);
    expect(lastReport({ counted, ...cutRun }).reasoningTokens).toBe(3);
    expect(counted).toEqual([]);
  });

  it.each([
    ['its end', [content, end], { stopReason: 'eosFound', usage, isMalformed: true }],
    ['a cut', [content, cut], { usage: { ...usage, generationMs: 1000 }, hasFailed: true }],
    ['no end', [content, content], { hasFailed: true }],
  ] as const)('records %s', async (_case, events, outcome) => {
    expect((await run(...events)).outcomes).toEqual([outcome]);
  });
});
