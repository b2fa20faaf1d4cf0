import { describe, expect, it } from 'vitest';
import { deferred } from '../../test/setup/deferred.ts';
import { picture } from '../../test/setup/models/picture.ts';
import { scriptedTool } from '../../test/setup/chat/scripted-tools.ts';
import {
  generationEnd as end,
  resultOf,
  scriptedTurns,
} from '../../test/setup/chat/scripted-turn.ts';
import { HearthError } from '../kernel/errors/errors.ts';
import type { GenerationEvent, GenerationRequest } from '../engines/engine.ts';

const provider = { type: 'plugin', pluginId: 'mcp/test' };

function* call(index: number, name: string, ...pieces: string[]): Generator<GenerationEvent> {
  yield { type: 'toolCall.delta', index, id: 'x', name, argumentsJson: '' };
  for (const argumentsJson of pieces) yield { type: 'toolCall.delta', index, argumentsJson };
}

/** Each generation yields the next list of events and an end. */
const generations = (...lists: readonly GenerationEvent[][]) =>
  async function* (generation: number): AsyncGenerator<GenerationEvent> {
    yield* lists[Math.min(generation, lists.length - 1)] ?? [];
    yield end;
  };
const say = (text: string): GenerationEvent => ({ type: 'content.delta', text });

const messagesOf = (request: GenerationRequest | undefined) =>
  request?.kind === 'chat' ? request.messages : [];
const toolsOf = (request: GenerationRequest | undefined) =>
  request?.kind === 'chat' ? { tools: request.tools, choice: request.toolChoice } : undefined;

const weather = scriptedTool('get_weather', async ({ city }) => `Rain in ${String(city)}`);

describe('a turn with tools', () => {
  it('executes the calls of the model and lets it answer', async () => {
    const script = generations(
      [say('Let me look.'), ...call(0, 'get_weather', '{"city":', '"Brest"}')],
      [say('It rains.')],
    );
    const { run, requests, store } = await scriptedTurns(script, weather);
    const events = await run();
    expect(events.map(({ type }) => type).filter((type) => !/^(?:turn|load)/.test(type))).toEqual([
      'prompt.start',
      'prompt.end',
      'message.start',
      'message.delta',
      'message.end',
      'toolCall.start',
      'toolCall.delta',
      'toolCall.delta',
      'toolCall.delta',
      'toolCall.arguments',
      'toolCall.success',
      'prompt.start',
      'prompt.end',
      'message.start',
      'message.delta',
      'message.end',
    ]);
    const result = resultOf(events);
    const item = {
      type: 'toolCall',
      round: 0,
      exposedName: 'get_weather',
      tool: 'get_weather',
      provider,
      arguments: { city: 'Brest' },
      result: [{ type: 'text', text: 'Rain in Brest' }],
      isError: false,
    };
    expect(events).toContainEqual({ type: 'toolCall.success', index: 0, item });
    expect(result.items).toEqual([
      { type: 'message', text: 'Let me look.' },
      item,
      { type: 'message', text: 'It rains.' },
    ]);
    expect(result.usage).toMatchObject({ promptTokens: 14, cachedTokens: 6, completionTokens: 10 });
    expect(result.timings).toMatchObject({ generationSeconds: 0.004, tokensPerSecond: 2500 });
    const { turn } = (await store.responses.find(result.responseId ?? '', null)) ?? {};
    expect(turn).toMatchObject({ contextTokens: 12 });
    expect(messagesOf(requests[1]).slice(1)).toEqual([
      {
        role: 'assistant',
        content: 'Let me look.',
        toolCalls: [{ id: 'call00001', name: 'get_weather', argumentsJson: '{"city":"Brest"}' }],
      },
      { role: 'tool', toolCallId: 'call00001', content: 'Rain in Brest' },
    ]);
  });

  it('passes the same messages to the next turn, including calls and results', async () => {
    const script = generations(
      [...call(0, 'get_weather', '{"city":"Brest"}'), ...call(1, 'get_weather', '{"city":"Nice"}')],
      [...call(0, 'get_weather', '{"city":"Lille"}')],
      [say('Rain everywhere.')],
      [say('As I said.')],
    );
    const { run, requests } = await scriptedTurns(script, weather);
    const { responseId: first = '' } = resultOf(await run());
    await run({ previousResponseId: first });
    expect(messagesOf(requests[3])).toEqual([
      ...messagesOf(requests[2]),
      { role: 'assistant', content: 'Rain everywhere.' },
      { role: 'user', content: 'Hello' },
    ]);
  });

  it('numbers rounds and calls over the whole turn, and passes every round to the next one', async () => {
    const script = generations(
      [...call(0, 'get_weather', '{"city":"Brest"}'), ...call(1, 'get_rain', '{}')],
      [say('And?'), ...call(0, 'get_weather', '{"city":"Lille"}')],
      [say('Rain.')],
    );
    const { run, requests } = await scriptedTurns(script, weather);
    const events = await run();
    const numbered = resultOf(events).items.flatMap((item) =>
      'round' in item ? [[item.round, item.type]] : [],
    );
    expect(numbered).toEqual([
      [0, 'toolCall'],
      [0, 'invalidToolCall'],
      [1, 'toolCall'],
    ]);
    expect(
      events.flatMap((event) =>
        'index' in event && event.type !== 'toolCall.delta' ? [`${event.index} ${event.type}`] : [],
      ),
    ).toEqual([
      '0 toolCall.start',
      '0 toolCall.arguments',
      '1 toolCall.start',
      '0 toolCall.success',
      '1 toolCall.failure',
      '2 toolCall.start',
      '2 toolCall.arguments',
      '2 toolCall.success',
    ]);
    const last = messagesOf(requests[2]);
    expect(last.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'assistant',
      'tool',
    ]);
    expect(last.slice(0, 4)).toEqual(messagesOf(requests[1]));
    expect(last[4]).toMatchObject({ content: 'And?', toolCalls: [{ id: 'call00003' }] });
    expect(last[5]).toMatchObject({ toolCallId: 'call00003', content: 'Rain in Lille' });
    expect(resultOf(events).usage).toEqual({
      promptTokens: 21,
      cachedTokens: 9,
      completionTokens: 15,
      reasoningTokens: 0,
    });
  });

  it('keeps the output of earlier rounds when a later one fails, and stores nothing', async () => {
    const { run, store } = await scriptedTurns(async function* (generation) {
      if (generation === 0) yield* call(0, 'get_weather', '{"city":"Brest"}');
      else yield say('It ra');
      if (generation === 1) {
        yield {
          type: 'generation.cut',
          usage: { ...end.usage, completionTokens: 3 },
          reasoningTokens: 1,
        };
        throw new HearthError('crashed', 'The engine stopped.');
      }
      yield end;
    }, weather);
    const events = await run();
    expect(events.map(({ type }) => type).slice(-3)).toEqual([
      'message.end',
      'turn.error',
      'turn.end',
    ]);
    const result = resultOf(events);
    expect(result.items).toMatchObject([{ type: 'toolCall' }, { type: 'message', text: 'It ra' }]);
    expect(result).toMatchObject({
      stopReason: null,
      usage: { completionTokens: 8, reasoningTokens: 1 },
    });
    const stored = await store.responses.find(result.responseId ?? '', null);
    const { items, usage } = result;
    expect(stored?.turn).toMatchObject({ items, usage, stopReason: null, isInterrupted: true });
  });

  it('keeps a failure that a tool reports', async () => {
    const broken = scriptedTool('work', async () => '', {
      call: async () => ({ content: [{ type: 'text', text: 'No.' }], isError: true }),
    });
    const script = generations([...call(0, 'work', '{}')], [say('It failed.')]);
    const { run, requests } = await scriptedTurns(script, broken);
    expect(resultOf(await run()).items[0]).toMatchObject({ type: 'toolCall', isError: true });
    expect(messagesOf(requests[1]).at(-1)).toMatchObject({ role: 'tool', content: 'Error: No.' });
  });

  it('cuts a result that is larger than what is left of the context, for the model and the store', async () => {
    const search = scriptedTool('search', async () => 'x'.repeat(5000));
    const script = generations(
      [...call(0, 'search', '{}'), ...call(1, 'search', '{}')],
      [say('Ok')],
    );
    const { run, requests, store } = await scriptedTurns(script, search);
    const { items, responseId = '' } = resultOf(await run({ contextLength: 1024 }));
    const results = messagesOf(requests[1])
      .slice(-2)
      .map(({ content }) => (typeof content === 'string' ? content : ''));
    for (const result of results) {
      expect(result).toMatch(/^x+\n\[The result of search was cut .*: \d+ of 5000 characters/);
    }
    expect(results.join('').length).toBeLessThan(1024);
    expect(results.join('').length).toBeGreaterThan(512);
    expect((await store.responses.find(responseId, null))?.turn.items).toEqual(items);
    expect(JSON.stringify(items)).toContain('was cut to fit');
  });

  it('creates an invalid call if a later generation cannot be parsed', async () => {
    const { run } = await scriptedTurns(async function* (generation) {
      if (generation === 0) yield* call(0, 'get_weather', '{"city":"Brest"}');
      else yield say('<tool_call>{');
      yield { ...end, isMalformed: generation === 1 };
    }, weather);
    const events = await run();
    expect(resultOf(events).items.at(-1)).toMatchObject({ type: 'invalidToolCall', round: 1 });
    expect(events.at(-2)).toMatchObject({ type: 'toolCall.failure', index: 1 });
  });

  it('checks a complete call although the engine could not parse the rest', async () => {
    const { run } = await scriptedTurns(async function* (generation) {
      if (generation === 0) yield* call(0, 'get_weather', '{"city":"Brest"}');
      else yield say('Rain.');
      yield { ...end, isMalformed: generation === 0 };
    }, weather);
    expect(resultOf(await run()).items.map(({ type }) => type)).toEqual(['toolCall', 'message']);
  });

  it('runs the calls of a round concurrently and reports them in order', async () => {
    const second = deferred<string>();
    const tools = [
      scriptedTool('one', () => second.promise),
      scriptedTool('two', async () => {
        second.resolve('after two');
        return 'two';
      }),
    ];
    const script = generations([...call(0, 'one', '{}'), ...call(1, 'two', '')], [say('Done.')]);
    const { run } = await scriptedTurns(script, ...tools);
    const events = await run();
    const told = events.flatMap((event) => {
      if (event.type === 'toolCall.success') return [`${event.type} ${event.item.tool}`];
      return 'tool' in event ? [`${event.type} ${event.tool?.name}`] : [];
    });
    expect(told).toEqual([
      'toolCall.start one',
      'toolCall.arguments one',
      'toolCall.start two',
      'toolCall.arguments two',
      'toolCall.success one',
      'toolCall.success two',
    ]);
  });

  it.each([
    [
      'a name that no tool has',
      'get_rain',
      '{}',
      { cause: 'invalidName', exposedName: 'get_rain' },
    ],
    [
      'arguments that are not JSON',
      'get_weather',
      '{"city":',
      { cause: 'invalidArguments', tool: 'get_weather', provider },
    ],
    [
      'arguments that are not an object',
      'get_weather',
      '["Brest"]',
      { cause: 'invalidArguments', tool: 'get_weather', provider },
    ],
    [
      'arguments that the schema does not allow',
      'get_weather',
      '{"city":7}',
      {
        cause: 'invalidArguments',
        tool: 'get_weather',
        arguments: { city: 7 },
        provider,
      },
    ],
  ])(
    'reports %s to the model, so that it can correct itself',
    async (_, name, argumentsJson, fields) => {
      const strict = scriptedTool('get_weather', async () => 'Rain', {
        findArgumentIssue: ({ city }) =>
          typeof city === 'string' ? undefined : 'city must be string',
      });
      const script = generations(
        [...call(0, name, argumentsJson)],
        [...call(0, 'get_weather', '{"city":"Brest"}')],
        [say('Rain.')],
      );
      const { run, requests } = await scriptedTurns(script, strict);
      const events = await run();
      const { items } = resultOf(events);
      expect(items.map(({ type }) => type)).toEqual(['invalidToolCall', 'toolCall', 'message']);
      const [item] = items;
      const exposedName = name;
      expect(item).toEqual({
        type: 'invalidToolCall',
        round: 0,
        exposedName,
        reason: expect.any(String),
        ...fields,
      });
      expect(events).toContainEqual({ type: 'toolCall.failure', index: 0, item });
      const { reason } = item as { readonly reason: string };
      expect(messagesOf(requests[1]).at(-1)).toMatchObject({ role: 'tool', content: reason });
    },
  );

  it('makes a model answer without tools after the last round', async () => {
    const script = generations([...call(0, 'get_weather', '{"city":"Brest"}')]);
    const { run, requests } = await scriptedTurns(script, weather);
    const events = await run();
    expect(requests.map((request) => toolsOf(request)?.choice)).toEqual([
      'auto',
      'auto',
      'auto',
      'none',
    ]);
    expect(resultOf(events)).toMatchObject({ stopReason: 'eosFound' });
    expect(resultOf(events).items).toHaveLength(4);
  });

  it('counts maxOutputTokens over all rounds', async () => {
    const script = generations([...call(0, 'get_weather', '{"city":"Brest"}')]);
    const { run, requests } = await scriptedTurns(script, weather);
    const { items, stopReason } = resultOf(await run({ maxOutputTokens: 8 }));
    expect(requests.map(({ maxTokens }) => maxTokens)).toEqual([8, 3]);
    expect(items.map(({ type }) => type)).toEqual(['toolCall', 'toolCall']);
    expect(stopReason).toBe('maxPredictedTokensReached');
  });

  it('creates an invalid call for output that the engine could not parse', async () => {
    const { run } = await scriptedTurns(async function* () {
      yield say('<tool_call>{"name"');
      yield { ...end, isMalformed: true };
    }, weather);
    const events = await run();
    expect(events.some(({ type }) => type === 'turn.error')).toBe(false);
    const { items, isMalformed } = resultOf(events);
    expect(items.map(({ type }) => type)).toEqual(['message', 'invalidToolCall']);
    expect(isMalformed).toBe(true);
    expect(events.find(({ type }) => type === 'toolCall.failure')).toMatchObject({
      item: { round: 0, exposedName: '', cause: 'invalidName' },
    });
  });

  it('passes an image of a result to a vision model, and a note to others', async () => {
    const dataUrl = await picture('red');
    const camera = scriptedTool('look', async () => [
      { type: 'image', mimeType: 'image/png', data: dataUrl.split(',')[1] },
      { type: 'audio', data: 'AA==' },
    ]);
    const script = generations([...call(0, 'look', '{}')], [say('I see.')]);
    const seeing = await scriptedTurns(script, camera);
    await seeing.run({ model: 'test/vision' });
    expect(messagesOf(seeing.requests[1]).at(-1)).toMatchObject({
      role: 'tool',
      content: [
        { type: 'image', dataUrl: expect.stringMatching(/^data:image\/png;base64,/) },
        { type: 'text', text: '[audio: not shown]' },
      ],
    });
    const blind = await scriptedTurns(script, camera);
    await blind.run();
    expect(messagesOf(blind.requests[1]).at(-1)).toMatchObject({
      content: expect.stringMatching(/^\[image: not shown.*no vision/),
    });
  });

  it('aborts running calls when the caller leaves', async () => {
    const left = new AbortController();
    const slow = scriptedTool('slow', async () => '', {
      call: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
          left.abort(new Error('client left'));
        }),
    });
    const { run } = await scriptedTurns(generations([...call(0, 'slow', '{}')]), slow);
    await expect(run({}, left.signal)).rejects.toThrow('client left');
  });
});
