import { describe, expect, it, vi } from 'vitest';
import { collect } from '../../../test/setup/collect.ts';
import { deferred } from '../../../test/setup/deferred.ts';
import {
  managedInstance,
  promptOf,
  type ManagedInstanceOptions,
} from '../../../test/setup/engines/managed-instance.ts';
import type { TokenEngine } from '../../../test/setup/engines/token-engine.ts';
import { CacheFullError } from '../cache-full-error.ts';
import type { ChatGeneration, GenerationRequest } from '../engine.ts';

const contextLength = 2000;
const names = ['a', 'b', 'c', 'd'];

function chat(name: string, changes: Partial<ChatGeneration> = {}): ChatGeneration {
  const messages = [{ role: 'user', content: name.repeat(40) }] as const;
  return { kind: 'chat', messages, sampling: {}, ...changes };
}

/** A request whose answer can't be continued, so that it reserves a whole context. */
function whole(name: string, changes: Partial<ChatGeneration> = {}): ChatGeneration {
  return chat(name, { responseFormat: { type: 'json_object' }, ...changes });
}

/** An instance whose cache has two contexts, with functions to observe it. */
async function setUp(changes: ManagedInstanceOptions & { readonly totalCells?: number } = {}) {
  const { totalCells = 2 * contextLength, ...options } = changes;
  const managed = await managedInstance({
    slotCount: 4,
    contextLength,
    cacheSize: { totalCells, contextLength },
    batchTokens: 2048,
    ...options,
  });
  const { engine, run, scheduler, manager } = managed;
  engine.step = () => new Promise(setImmediate);
  const startCount = () => engine.calls.filter((call) => call.startsWith('generate')).length;
  const isFree = () =>
    manager.table.isIdle &&
    manager.table.busyCells === 0 &&
    scheduler.activeCount === 0 &&
    scheduler.waitingCount === 0;
  return { ...managed, run, startCount, isFree };
}

/** Output of an engine that has only this request. */
async function answerTo(request: GenerationRequest, endTokens: number) {
  const alone = await managedInstance({ slotCount: 1, contextLength, endTokens });
  return alone.run(request);
}

/** Delays the ends of all answers until the returned function is called. */
function holdAnswers(engine: TokenEngine): () => void {
  const { step } = engine;
  const finished = deferred<void>();
  engine.step = async (call, signal) => {
    await step(call, signal);
    if (call.startsWith('end')) await finished.promise;
  };
  return finished.resolve;
}

describe('admission', () => {
  it('starts requests without a limit by what they are likely to need', async () => {
    const { run, engine, holdUntil } = await setUp({ answerTokens: 20 });
    holdUntil(4);
    await Promise.all(names.map((name) => run(promptOf(name, 10))));
    expect(engine.mostWriting).toBe(4);
  });

  it('starts as many requests that reserve whole contexts as the cache holds, and others in order of arrival', async () => {
    const { run, engine, scheduler } = await setUp({ answerTokens: 20 });
    const finish = holdAnswers(engine);
    const requests = [...['a', 'b', 'c'].map((name) => whole(name)), promptOf('d', 10)];
    const running = requests.map((request) => run(request));
    await vi.waitFor(() => expect(engine.mostWriting).toBe(2));
    await vi.waitFor(() => expect([scheduler.activeCount, scheduler.waitingCount]).toEqual([2, 2]));
    expect(engine.mostWriting).toBe(2);
    finish();
    await Promise.all(running);
  });

  it('counts a prompt only if it does not fit by its length', async () => {
    const { run, engine } = await setUp();
    for (const name of ['a', 'b', 'c']) await run(promptOf(name, 20, { maxTokens: 50 }));
    expect(engine.calls).not.toContain('tokenize');
    const finish = holdAnswers(engine);
    const running = [
      run(promptOf('d', 10, { maxTokens: 900 })),
      run(promptOf('e', 150, { maxTokens: 50 })),
    ];
    await vi.waitFor(() => expect(engine.mostWriting).toBe(2));
    expect(engine.calls.filter((call) => call === 'tokenize')).toHaveLength(1);
    finish();
    await Promise.all(running);
  });

  it('lets a request leave the line, and those behind it pass', async () => {
    const { run, engine, scheduler, holdUntil } = await setUp();
    holdUntil(3);
    const running = [run(whole('a')), run(promptOf('b', 10, { maxTokens: 200 }))];
    await vi.waitFor(() => expect(engine.mostWriting).toBe(2));
    const client = new AbortController();
    const leaving = run(whole('c', { maxTokens: 1990 }), { signal: client.signal });
    await vi.waitFor(() => expect(scheduler.waitingCount).toBe(1));
    const small = run(promptOf('d', 10, { maxTokens: 10 }));
    await vi.waitFor(() => expect(scheduler.waitingCount).toBe(2));
    expect(engine.mostWriting).toBe(2);
    client.abort(new Error('left'));
    await expect(leaving).rejects.toThrow('left');
    await Promise.all([...running, small]);
    expect(engine.mostWriting).toBe(3);
  });

  it('reserves more for a prompt that turns out to be longer than its text', async () => {
    const { generate, run, engine, scheduler } = await setUp();
    const finish = holdAnswers(engine);
    const write = engine.engine.generate.bind(engine.engine);
    engine.engine.generate = async function* longer(request, context) {
      for await (const event of write(request, context)) {
        const isFirst = request.maxTokens === 100 && event.type === 'prompt.progress';
        yield isFirst ? { ...event, totalTokens: 1800 } : event;
      }
    };
    const longer = collect(generate(promptOf('a', 10, { maxTokens: 100 })));
    await vi.waitFor(() => expect(engine.mostWriting).toBe(1));
    const running = run(whole('b'));
    await vi.waitFor(() => expect(engine.mostWriting).toBe(2));
    const client = new AbortController();
    const waiting = run(promptOf('c', 10, { maxTokens: 1000 }), { signal: client.signal });
    await vi.waitFor(() => expect(scheduler.waitingCount).toBe(1));
    client.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    finish();
    await Promise.all([longer, running]);
  });
});

describe('a cache that runs full', () => {
  const endTokens = 900;

  it.each([1, 16])(
    'pauses answers, which continue and end complete (%i tokens ahead)',
    async (aheadTokens) => {
      const { run, engine, startCount, isFree } = await setUp({
        totalCells: contextLength,
        endTokens,
        aheadTokens,
      });
      const requests = names.map((name) => promptOf(name, 10));
      const answers = await Promise.all(requests.map((request) => run(request)));
      expect(engine.mostWriting).toBe(4);
      expect(startCount()).toBeGreaterThan(4);
      await vi.waitFor(() => expect(isFree()).toBe(true));
      for (const [index, request] of requests.entries()) {
        const expected = await answerTo(request, endTokens);
        expect(answers[index]?.text).toBe(expected.text);
        expect(answers[index]?.completionTokens).toBe(890);
      }
    },
  );

  it('continues chats', async () => {
    const { run, startCount } = await setUp({ totalCells: contextLength, endTokens });
    const requests = names.map((name) => chat(name));
    const answers = await Promise.all(requests.map((request) => run(request)));
    expect(startCount()).toBeGreaterThan(4);
    for (const [index, request] of requests.entries()) {
      expect(answers[index]?.text).toBe((await answerTo(request, endTokens)).text);
    }
  });

  it('pauses answers between words, which the engine then reads as it wrote them', async () => {
    const { run, engine } = await setUp({ totalCells: contextLength, endTokens });
    const continued: string[] = [];
    const write = engine.engine.generate.bind(engine.engine);
    // A word has five tokens.
    engine.engine.generate = async function* words(request, context) {
      const prompt = request.kind === 'completion' ? String(request.prompt) : '';
      let tokens = prompt.length / 4;
      if (tokens > 10) continued.push(prompt);
      for await (const event of write(request, context)) {
        if (event.type !== 'content.delta') yield event;
        else yield { ...event, text: tokens++ % 5 === 0 ? ` ${event.text.slice(1)}` : event.text };
      }
    };
    await Promise.all(names.map((name) => run(promptOf(name, 10))));
    expect(continued.length).toBeGreaterThan(0);
    for (const prompt of continued) expect(prompt.length % (4 * 5)).toBe(0);
  });

  describe('continues answers that the engine ended since the cache was full', () => {
    it.each([0, 30])('to their end, after %i tokens', async (tokens) => {
      const { run, engine, startCount, isFree } = await setUp({
        totalCells: contextLength,
        endTokens: 300,
      });
      const { step } = engine;
      const writes = new Map<string, number>();
      engine.step = async (call, signal) => {
        await step(call, signal);
        if (!call.startsWith('write')) return;
        const count = writes.get(call) ?? 0;
        writes.set(call, count + 1);
        if (count === tokens) throw new CacheFullError(new Error('full'));
      };
      const requests = names.map((name) => promptOf(name, 10));
      const answers = await Promise.all(requests.map((request) => run(request)));
      expect(startCount()).toBeGreaterThan(4);
      for (const [index, request] of requests.entries()) {
        expect(answers[index]?.text).toBe((await answerTo(request, 300)).text);
      }
      await vi.waitFor(() => expect(isFree()).toBe(true));
    });

    it('unless they can not be continued', async () => {
      const { run, engine, isFree } = await setUp({ endTokens: 300 });
      let count = 0;
      engine.step = async (call) => {
        if (call.startsWith('write')) count += 1;
        if (count === 20) throw new CacheFullError(new Error('full'));
      };
      await expect(run(whole('a'))).rejects.toThrow(/The cache of the model was full/);
      await vi.waitFor(() => expect(isFree()).toBe(true));
    });

    it('only some times', async () => {
      const { run, engine, startCount, isFree } = await setUp({ endTokens: 300 });
      engine.step = async (call) => {
        if (call.startsWith('write')) throw new CacheFullError(new Error('full'));
      };
      await expect(run(promptOf('a', 10))).rejects.toThrow(/The cache of the model was full/);
      expect(startCount()).toBe(9);
      await vi.waitFor(() => expect(isFree()).toBe(true));
    });
  });

  it('keeps the limit of an answer that was paused', async () => {
    const { run, startCount } = await setUp({ totalCells: contextLength, answerTokens: Infinity });
    const requests = names.map((name) => promptOf(name, 10, { maxTokens: 800 }));
    const answers = await Promise.all(requests.map((request) => run(request)));
    expect(startCount()).toBeGreaterThan(4);
    expect(answers.map(({ completionTokens }) => completionTokens)).toEqual([800, 800, 800, 800]);
    expect(answers.map(({ text }) => text.length)).toEqual([3200, 3200, 3200, 3200]);
  });

  it.each([1, 3, 50])('does not pause an answer of at most %i tokens', async (maxTokens) => {
    const { run, startCount } = await setUp({ answerTokens: 300 });
    const { completionTokens } = await run(promptOf('a', 10, { maxTokens }));
    expect({ completionTokens, starts: startCount() }).toEqual({
      completionTokens: maxTokens,
      starts: 1,
    });
  });

  it('tells a paused request its position', async () => {
    const { generate, isFree } = await setUp({ totalCells: contextLength, endTokens });
    const events = await Promise.all(names.map((name) => collect(generate(promptOf(name, 10)))));
    const afterOutput = events.flatMap((each) =>
      each.slice(each.findIndex(({ type }) => type === 'content.delta')),
    );
    expect(afterOutput.some(({ type }) => type === 'queued')).toBe(true);
    for (const each of events) {
      expect(each.filter(({ type }) => type === 'prompt.start')).toHaveLength(1);
      expect(each.filter(({ type }) => type === 'generation.report')).toHaveLength(1);
      expect(each.filter(({ type }) => type === 'generation.cut')).toHaveLength(0);
    }
    await vi.waitFor(() => expect(isFree()).toBe(true));
  });

  it('frees everything of a paused request that its client leaves', async () => {
    const { generate, isFree } = await setUp({ totalCells: contextLength, endTokens });
    let leftCount = 0;
    const outcomes = await Promise.allSettled(
      names.map(async (name) => {
        const client = new AbortController();
        let hasOutput = false;
        for await (const { type } of generate(promptOf(name, 10), { signal: client.signal })) {
          hasOutput ||= type === 'content.delta';
          if (type === 'queued' && hasOutput && leftCount === 0) {
            leftCount += 1;
            client.abort(new Error('left'));
          }
        }
      }),
    );
    expect(outcomes.filter(({ status }) => status === 'rejected')).toMatchObject([
      { reason: { message: 'left' } },
    ]);
    await vi.waitFor(() => expect(isFree()).toBe(true));
  });

  it('frees everything of paused requests when the engine is lost', async () => {
    const { generate, instance, isFree } = await setUp({ totalCells: contextLength, endTokens });
    const outcomes = await Promise.allSettled(
      names.map(async (name) => {
        let hasOutput = false;
        for await (const { type } of generate(promptOf(name, 10))) {
          hasOutput ||= type === 'content.delta';
          if (type === 'queued' && hasOutput) instance.retireOutgrown('too large');
        }
      }),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(names.map(() => 'rejected'));
    await vi.waitFor(() => expect(isFree()).toBe(true));
  });

  it('never pauses an answer with a schema, which reserves its whole length', async () => {
    const { run, engine, startCount, holdUntil } = await setUp({ endTokens });
    holdUntil(2);
    const structured = run(whole('a'));
    const others = ['b', 'c', 'd'].map((name) => run(promptOf(name, 10)));
    await Promise.all([structured, ...others]);
    const own = (await structured).text;
    expect(own).toBe((await answerTo(whole('a'), endTokens)).text);
    expect(engine.calls.find((call) => call.startsWith('generate 0'))).toBe('generate 0: 0+10');
    expect(startCount()).toBeGreaterThanOrEqual(4);
  });
});
