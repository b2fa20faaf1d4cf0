import { describe, expect, it, vi } from 'vitest';
import {
  generationEnd as end,
  resultOf,
  scriptedTurns,
  scriptedTurnsWith,
  userMessage,
} from '../../test/setup/chat/scripted-turn.ts';
import { picture } from '../../test/setup/models/picture.ts';
import { testContext } from '../../test/setup/test-context.ts';
import { HearthError } from '../kernel/errors/errors.ts';
import type { GenerationEvent, GenerationRequest } from '../engines/engine.ts';
import type { TurnEvent } from './turn-event.ts';
import type { TurnRequest } from './turn-request.ts';

type Run = Awaited<ReturnType<typeof scriptedTurns>>['run'];

async function* sayHi(): AsyncGenerator<GenerationEvent> {
  yield { type: 'content.delta', text: 'Hi' };
  yield end;
}

describe('runTurn', () => {
  it('yields start, deltas and end of each item, in order', async () => {
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

  it('ends the prompt of an empty generation, with an empty output', async () => {
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

  // covers v1-chat-25
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

  it('reports a failure during the generation, keeps the text so far and stores nothing', async () => {
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
    const stored = await store.responses.find(result.responseId ?? '', null);
    expect(stored?.turn).toMatchObject({ items: result.items, isInterrupted: true });
  });

  it('hides the message of an unexpected error', async () => {
    const { run } = await scriptedTurns(async function* () {
      yield { type: 'content.delta', text: 'x' };
      throw new Error('a secret of ours');
    });
    const error = (await run()).find(({ type }) => type === 'turn.error');
    expect(error).toMatchObject({ error: { code: 'internal' } });
    expect(JSON.stringify(error)).not.toContain('secret');
  });

  it('returns the answer with an error if it cannot be stored', async () => {
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

  it('returns the answer with the time to wait if the database is away', async () => {
    const { run, store } = await scriptedTurns(async function* () {
      yield { type: 'content.delta', text: 'Hi' };
      yield end;
    });
    vi.spyOn(store.responses, 'insert').mockRejectedValue(
      new HearthError('store_unavailable', 'The database is not available: it rests.', {
        retryAfterSeconds: 5,
      }),
    );
    const events = await run();
    expect(events.find(({ type }) => type === 'turn.error')).toMatchObject({
      error: {
        code: 'storage_failed',
        retryAfterSeconds: 5,
        message:
          'The response was generated but could not be stored. The database is not available: it rests. See the log of the server.',
      },
    });
    expect(resultOf(events).items).toEqual([{ type: 'message', text: 'Hi' }]);
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

  it('asks no tool server about a turn without integrations', async () => {
    const refuse = () => Promise.reject(new Error('asked'));
    const toolServers = { validate: refuse, open: refuse, close: async () => {} };
    const { run } = await scriptedTurnsWith({ toolServers }, sayHi);
    expect(resultOf(await run()).items).toEqual([{ type: 'message', text: 'Hi' }]);
    const integrations = [{ type: 'plugin', id: 'mcp/search' }] as const;
    await expect(run({ integrations })).rejects.toThrow('asked');
  });

  it('throws errors of the request before the first event', async () => {
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
              { type: 'image', url: 'data:image/png;base64,AA==' },
            ],
          },
        ],
      }),
    ).rejects.toMatchObject({ code: 'vision_unsupported', field: 'messages[1].content[1]' });
  });

  it('throws the reason of a caller that has left, and reports that the server stops', async () => {
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

  it('throws the reason of a request that was aborted before, and loads nothing', async () => {
    const { run, launcher } = await scriptedTurns(sayHi);
    const reason = new Error('gone already');
    await expect(run({}, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(launcher.launchCount()).toBe(0);
  });

  it('passes every option on to the engine and returns the log probabilities', async () => {
    const logprob = { token: 'H', logprob: -1, bytes: null, topLogprobs: [] };
    const { run, requests } = await scriptedTurns(async function* () {
      yield { type: 'content.delta', text: 'H', logprobs: [logprob] };
      yield { type: 'content.delta', text: 'i', logprobs: [logprob] };
      yield { ...end, stopReason: 'stopStringFound' };
    });
    const options = {
      sampling: { seed: 7, presencePenalty: 1 },
      stop: ['x'],
      topLogprobs: 0,
      responseFormat: { type: 'json_object' },
    } as const;
    const events = await run({ ...options, maxOutputTokens: 9 });
    expect(requests).toEqual([
      {
        kind: 'chat',
        messages: [{ role: 'user', content: 'Hello' }],
        ...options,
        maxTokens: 9,
        responseId: expect.stringMatching(/^resp_/),
      },
    ]);
    expect(events).toContainEqual({ type: 'message.delta', text: 'H', logprobs: [logprob] });
    expect(resultOf(events)).toMatchObject({
      logprobs: [logprob, logprob],
      stopReason: 'stopStringFound',
    });
    expect(resultOf(await run())).toHaveProperty('logprobs');
  });

  it('stores the turn for its owner only', async () => {
    const { startWith, store } = await scriptedTurns(async function* () {
      yield { type: 'reasoning.delta', text: 'Hm.' };
      yield { type: 'content.delta', text: 'Hi' };
      yield end;
    });
    const context = testContext({ caller: { tokenId: 'mine' } });
    const events: TurnEvent[] = [];
    const changes = { systemPrompt: 'Be brief.', instructions: 'In French.' };
    for await (const event of startWith(context, changes)) events.push(event);
    const { responseId = '', items, usage, timings } = resultOf(events);
    expect(await store.responses.find(responseId, 'mine')).toMatchObject({
      parentId: null,
      ownerId: 'mine',
      modelKey: 'test/model',
      modelInstanceId: 'test/model',
      turn: {
        ...changes,
        messages: userMessage('Hello'),
        items,
        stopReason: 'eosFound',
        usage,
        timings,
      },
    });
    const other = startWith(testContext({ caller: { tokenId: 'yours' } }), {
      previousResponseId: responseId,
    });
    await expect(other.next()).rejects.toMatchObject({ field: 'previousResponseId' });
  });
});

describe('the prompt of a turn', () => {
  const chain = async (run: Run, ...turns: readonly Partial<TurnRequest>[]) => {
    let previous: Partial<TurnRequest> = {};
    for (const turn of turns) {
      const { responseId = '' } = resultOf(await run({ ...previous, ...turn }));
      previous = { previousResponseId: responseId };
    }
  };
  const systemOf = (request: GenerationRequest) =>
    request.kind === 'chat' && request.messages[0]?.role === 'system'
      ? request.messages[0].content
      : undefined;

  it('keeps a system prompt until a later turn changes it, and instructions for one turn', async () => {
    const { run, requests } = await scriptedTurns(sayHi);
    await chain(
      run,
      { instructions: 'Only now.' },
      { systemPrompt: 'First.' },
      { instructions: 'Only now.' },
      { systemPrompt: 'Second.' },
      {},
      { systemPrompt: '' },
      {},
    );
    expect(requests.map(systemOf)).toEqual([
      'Only now.',
      'First.',
      'First.\n\nOnly now.',
      'Second.',
      'Second.',
      '',
      '',
    ]);
  });

  it('has the default of the model unless the conversation has a system message', async () => {
    const inForce = { systemPrompt: 'By default.' };
    const modelSettings = {
      inForce: () => inForce,
      ofInstance: () => ({ inForce, isPinned: false }),
      onChange: () => {},
    };
    const { run, requests } = await scriptedTurnsWith({ modelSettings }, sayHi);
    const own = { role: 'system', content: [{ type: 'text', text: 'Own.' }] } as const;
    await chain(run, {}, { systemPrompt: 'First.' });
    await chain(run, { messages: [own, ...userMessage('Hello')] }, {});
    expect(requests.map(systemOf)).toEqual(['By default.', 'First.', 'Own.', 'Own.']);
  });

  it('includes a stored image in every later turn, for vision models', async () => {
    const { run, requests } = await scriptedTurns(sayHi);
    const dataUrl = await picture('red');
    const look = { role: 'user', content: [{ type: 'image', url: dataUrl }] } as const;
    const vision = { model: 'test/vision' };
    const first = resultOf(await run({ ...vision, messages: [look, ...userMessage('What?')] }));
    const previousResponseId = first.responseId ?? '';
    await run({ ...vision, previousResponseId });
    const messages = requests.map((request) => (request.kind === 'chat' ? request.messages : []));
    const [image] = messages[0] ?? [];
    expect(image).toMatchObject({ content: [{ type: 'image', dataUrl: expect.any(String) }] });
    expect(messages[1]?.slice(0, 2)).toEqual(messages[0]);
    await expect(run({ previousResponseId })).rejects.toMatchObject({
      code: 'vision_unsupported',
      field: 'previousResponseId',
    });
  });
});
