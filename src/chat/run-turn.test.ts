import { describe, expect, it } from 'vitest';
import {
  generationEnd as end,
  resultOf,
  scriptedTurns,
  userMessage,
} from '../../test/setup/chat/scripted-turn.ts';
import { HearthError } from '../contract/errors.ts';
import type { GenerationEvent } from '../engine/engine.ts';

describe('runTurn', () => {
  it('gives each item its start, deltas and end, in order of happening', async () => {
    const { run } = await scriptedTurns(async function* () {
      yield { type: 'reasoning.delta', text: 'Let me ' };
      yield { type: 'reasoning.delta', text: 'think.' };
      yield { type: 'content.delta', text: 'Hi' };
      yield end;
    });
    const events = await run();
    expect(events.map(({ type }) => type)).toEqual([
      'turn.start',
      'load.start',
      'load.end',
      'prompt.start',
      'prompt.end',
      'reasoning.start',
      'reasoning.delta',
      'reasoning.delta',
      'reasoning.end',
      'message.start',
      'message.delta',
      'message.end',
      'turn.end',
    ]);
    expect(resultOf(events)).toMatchObject({
      instanceId: 'test/model',
      items: [
        { type: 'reasoning', text: 'Let me think.' },
        { type: 'message', text: 'Hi' },
      ],
      stopReason: 'eosFound',
      isMalformed: false,
      usage: { promptTokens: 7, cachedTokens: 3, completionTokens: 5, reasoningTokens: 13 },
      timings: { tokensPerSecond: 2500, generationSeconds: 0.002 },
    });
  });

  it('ends the prompt where nothing is said, with an empty output', async () => {
    const { run } = await scriptedTurns(async function* () {
      yield end;
    });
    const events = await run();
    expect(events.map(({ type }) => type).slice(-3)).toEqual([
      'prompt.start',
      'prompt.end',
      'turn.end',
    ]);
    expect(resultOf(events).items).toEqual([]);
  });

  it('sends history without its reasoning, the newest system prompt first', async () => {
    const { run, requests } = await scriptedTurns(async function* () {
      yield { type: 'reasoning.delta', text: 'Hm.' };
      yield { type: 'content.delta', text: 'Hi' };
      yield end;
    });
    const first = resultOf(await run({ systemPrompt: 'Be brief.' })).responseId;
    await run({
      messages: userMessage('One', 'Two'),
      ...(first === undefined ? {} : { previousResponseId: first }),
    });
    expect(requests.at(-1)).toMatchObject({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hi' },
        { role: 'user', content: 'One\nTwo' },
      ],
    });
  });

  it('tells of a failure on the way, keeps what arrived and stores nothing', async () => {
    const { run, store } = await scriptedTurns(async function* () {
      yield { type: 'content.delta', text: 'Half an ans' };
      throw new HearthError('crashed', 'The engine stopped.');
    });
    const events = await run();
    expect(events.map(({ type }) => type).slice(-3)).toEqual([
      'message.end',
      'turn.error',
      'turn.end',
    ]);
    const result = resultOf(events);
    expect(result.items).toEqual([{ type: 'message', text: 'Half an ans' }]);
    expect(result).not.toHaveProperty('responseId');
    expect((await store.responses.page({ ownerId: null, limit: 10 })).responses).toEqual([]);
  });

  it('hides what an unexpected fault says', async () => {
    const { run } = await scriptedTurns(async function* () {
      yield { type: 'content.delta', text: 'x' };
      throw new Error('a secret of ours');
    });
    const error = (await run()).find(({ type }) => type === 'turn.error');
    expect(error).toMatchObject({ error: { code: 'internal' } });
    expect(JSON.stringify(error)).not.toContain('secret');
  });

  it('gives the answer even where it can not be stored, and says so', async () => {
    const { run, store } = await scriptedTurns(async function* () {
      yield { type: 'content.delta', text: 'Hi' };
      yield end;
    });
    await store.close();
    const events = await run();
    expect(events.find(({ type }) => type === 'turn.error')).toMatchObject({
      error: { code: 'storage_failed', status: 500 },
    });
    const result = resultOf(events);
    expect(result.items).toEqual([{ type: 'message', text: 'Hi' }]);
    expect(result).not.toHaveProperty('responseId');
  });

  it('frees the slot when its reader stops early', async () => {
    const { pool, start } = await scriptedTurns(async function* () {
      yield end;
    });
    const turn = start({ isStored: false });
    for await (const event of turn) {
      if (event.type === 'prompt.start') break;
    }
    await expect.poll(() => pool.list()[0]?.activeRequests).toBe(0);
  });

  it('throws what is wrong with the request before the first event', async () => {
    const { run } = await scriptedTurns(async function* () {
      yield end;
    });
    await expect(run({ model: 'test/nothing' })).rejects.toMatchObject({ code: 'model_not_found' });
    await expect(run({ reasoning: 'on' })).rejects.toMatchObject({ code: 'unsupported_reasoning' });
    await expect(run({ previousResponseId: `resp_${'0'.repeat(48)}` })).rejects.toMatchObject({
      code: 'invalid_value',
      field: 'previousResponseId',
    });
    await expect(
      run({
        messages: [
          ...userMessage('What is it?'),
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Look:' },
              { type: 'image', dataUrl: 'data:image/png;base64,AA==' },
            ],
          },
        ],
      }),
    ).rejects.toMatchObject({ code: 'vision_unsupported', field: 'messages[1].content[1]' });
  });

  it('throws the reason of a caller that has gone, and tells one that the server stops', async () => {
    const waitsFor = (signal: AbortSignal) =>
      async function* (): AsyncGenerator<GenerationEvent> {
        yield { type: 'content.delta', text: 'x' };
        await new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        });
      };
    const left = new AbortController();
    const one = await scriptedTurns(waitsFor(left.signal));
    const gone = one.run({}, left.signal);
    setImmediate(() => left.abort(new Error('client left')));
    await expect(gone).rejects.toThrow('client left');

    const stopping = new AbortController();
    const other = await scriptedTurns(waitsFor(stopping.signal));
    const told = other.run({}, stopping.signal);
    setImmediate(() => stopping.abort(new HearthError('shutting_down', 'The server is stopping.')));
    expect((await told).map(({ type }) => type).slice(-2)).toEqual(['turn.error', 'turn.end']);
  });
});
