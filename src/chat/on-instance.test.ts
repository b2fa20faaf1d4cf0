import { once } from 'node:events';
import { expect, it, vi } from 'vitest';
import { generationEnd } from '../../test/setup/chat/scripted-turn.ts';
import { libraryOf, scriptedPoolWith } from '../../test/setup/instances/scripted-pool.ts';
import { modelEntry } from '../../test/setup/models/model-entry.ts';
import { testContext } from '../../test/setup/test-context.ts';
import type { RequestContext } from '../kernel/request/request-context.ts';
import { embed } from './embed.ts';
import { runCompletion, type CompletionEvent } from './run-completion.ts';

/** An engine whose first process writes a word to each request and then no more, and whose later ones answer. */
function setUp(parallel: number) {
  const { pool, launcher } = scriptedPoolWith({
    library: libraryOf(modelEntry()),
    defaults: { contextLength: 2048, parallel },
  });
  const working: string[] = [];
  launcher.onGenerate = async function* (signal, request) {
    const prompt = request.kind === 'completion' ? String(request.prompt) : '';
    if (launcher.launchCount() === 1) {
      if (prompt.startsWith('writes')) yield { type: 'content.delta', text: 'Half' };
      working.push(prompt);
      if (!signal.aborted) await once(signal, 'abort');
      throw signal.reason;
    }
    yield { type: 'content.delta', text: 'Whole' };
    yield generationEnd;
  };
  async function complete(prompt: string, isWhole: boolean): Promise<readonly CompletionEvent[]> {
    const events: CompletionEvent[] = [];
    const request = { model: 'test/model', prompt, sampling: {}, waitsForLoad: true, isWhole };
    for await (const event of runCompletion({ pool }, request, testContext())) events.push(event);
    return events;
  }
  const starts = (prompt: string) => vi.waitFor(() => expect(working).toContain(prompt));
  const outgrow = () => launcher.processes[0]?.outgrow('it took too much');
  return { pool, launcher, complete, starts, outgrow };
}

const textOf = (events: readonly CompletionEvent[]) =>
  events.map((event) => (event.type === 'text.delta' ? event.text : '')).join('');
const refused = {
  code: 'memory_exceeded',
  message:
    'The engine of test/model stopped: it took too much. Send the request again, or a smaller one.',
};

it('repeats the requests of others once when the memory guard ends an engine', async () => {
  const { launcher, complete, starts, outgrow } = setUp(5);
  const streamed = complete('writes to a stream', false);
  await starts('writes to a stream');
  const silent = complete('is silent', false);
  await starts('is silent');
  const whole = complete('writes to itself', true);
  await starts('writes to itself');
  const other = complete('is another', true);
  await starts('is another');
  const suspect = complete('began last', true);
  await starts('began last');
  const waiting = complete('waits', true);
  await Promise.resolve();
  outgrow();
  await expect(streamed).rejects.toMatchObject(refused);
  await expect(suspect).rejects.toMatchObject(refused);
  const repeated = await Promise.all([silent, whole, other, waiting]);
  expect(repeated.map(textOf)).toEqual(['Whole', 'Whole', 'Whole', 'Whole']);
  for (const events of repeated) {
    expect(events.filter(({ type }) => type === 'completion.start')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'completion.end', result: { text: 'Whole' } });
  }
  expect(launcher.launchCount()).toBe(2);
});

it('repeats a request only once', async () => {
  const { launcher, complete, starts, outgrow } = setUp(2);
  const silent = complete('is silent', true);
  await starts('is silent');
  const suspect = complete('began last', true);
  await starts('began last');
  launcher.onGenerate = async function* (signal) {
    launcher.processes.at(-1)?.outgrow('it took too much again');
    yield* [];
    if (!signal.aborted) await once(signal, 'abort');
    throw signal.reason;
  };
  outgrow();
  await expect(suspect).rejects.toMatchObject(refused);
  await expect(silent).rejects.toMatchObject({ code: 'memory_exceeded' });
  expect(launcher.launchCount()).toBe(2);
});

it('repeats embeddings', async () => {
  const { pool, launcher } = scriptedPoolWith({
    library: libraryOf(modelEntry({ type: 'embeddings' })),
    defaults: { contextLength: 2048, parallel: 1 },
  });
  const request = { model: 'test/model', inputs: ['a'] };
  await embed({ pool, minDimensions: () => undefined }, request, testContext());
  const [process] = launcher.processes;
  let calls = 0;
  if (process === undefined) throw new Error('No process');
  Object.assign(process.engine, {
    embed: async (_: unknown, { signal }: RequestContext) => {
      calls += 1;
      await once(signal, 'abort');
      throw signal.reason;
    },
  });
  const suspect = embed({ pool, minDimensions: () => undefined }, request, testContext());
  await vi.waitFor(() => expect(calls).toBe(1));
  const waiting = embed({ pool, minDimensions: () => undefined }, request, testContext());
  await vi.waitFor(() => expect(pool.list()[0]?.queuedRequests).toBe(1));
  process.outgrow('it took too much');
  await expect(suspect).rejects.toMatchObject(refused);
  expect(await waiting).toMatchObject({ vectors: [[1, 0]] });
});
