import { describe, expect, it } from 'vitest';
import { scriptedTool } from '../../test/setup/chat/scripted-tools.ts';
import {
  generationEnd as end,
  resultOf,
  scriptedTurns,
  userMessage,
} from '../../test/setup/chat/scripted-turn.ts';
import type { GenerationEvent, GenerationRequest } from '../engines/engine.ts';
import type { TurnMessage, TurnRequest } from './turn-request.ts';

const draw = { name: 'draw', parameters: { type: 'object' } };
const weather = scriptedTool('get_weather', async ({ city }) => `Rain in ${String(city)}`);
const integrations: TurnRequest['integrations'] = [{ type: 'plugin', id: 'mcp/test' }];

const say = (text: string): GenerationEvent => ({ type: 'content.delta', text });
const call = (index: number, name: string, argumentsJson = '{}'): GenerationEvent => ({
  type: 'toolCall.delta',
  index,
  id: `id${index}`,
  name,
  argumentsJson,
});

/** Each generation yields the next list of events and an end. */
const generations = (...lists: readonly GenerationEvent[][]) =>
  async function* (generation: number): AsyncGenerator<GenerationEvent> {
    const list = lists[Math.min(generation, lists.length - 1)] ?? [];
    yield* list;
    const hasCalls = list.some(({ type }) => type === 'toolCall.delta');
    yield hasCalls ? { ...end, stopReason: 'toolCalls' } : end;
  };

const messagesOf = (request: GenerationRequest | undefined) =>
  request?.kind === 'chat' ? request.messages : [];
const result = (toolCallId: string, text: string): TurnMessage => ({
  role: 'tool',
  toolCallId,
  content: [{ type: 'text', text }],
});

describe('a turn with tools of the client', () => {
  it('ends with the calls and leaves them to the client', async () => {
    const { run, requests } = await scriptedTurns(
      generations([say('I draw.'), call(0, 'draw', '{"what":'), call(1, 'draw', 'no JSON')]),
    );
    const events = await run({ clientTools: [draw] });
    const first = {
      type: 'clientToolCall',
      round: 0,
      id: 'id0',
      name: 'draw',
      argumentsJson: '{"what":',
    };
    const second = { ...first, id: 'id1', argumentsJson: 'no JSON' };
    expect(events.slice(-7)).toEqual([
      { type: 'toolCall.start', index: 0, exposedName: 'draw', isForClient: true },
      {
        type: 'toolCall.delta',
        index: 0,
        isForClient: true,
        id: 'id0',
        name: 'draw',
        argumentsJson: '{"what":',
      },
      { type: 'toolCall.end', index: 0, item: first },
      { type: 'toolCall.start', index: 1, exposedName: 'draw', isForClient: true },
      {
        type: 'toolCall.delta',
        index: 1,
        isForClient: true,
        id: 'id1',
        name: 'draw',
        argumentsJson: 'no JSON',
      },
      { type: 'toolCall.end', index: 1, item: second },
      expect.objectContaining({ type: 'turn.end' }),
    ]);
    expect(resultOf(events)).toMatchObject({
      items: [{ type: 'message', text: 'I draw.' }, first, second],
      stopReason: 'toolCalls',
    });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ tools: [draw], toolChoice: 'auto' });
  });

  it('continues with the results right after the calls', async () => {
    const script = generations([call(0, 'draw'), call(1, 'draw')], [say('Done.')]);
    const { run, requests } = await scriptedTurns(script);
    const { responseId = '' } = resultOf(await run({ clientTools: [draw] }));
    const next = await run({
      previousResponseId: responseId,
      messages: [...userMessage('Well?'), result('id1', 'two'), result('id0', 'one')],
      clientTools: [draw],
    });
    expect(messagesOf(requests[1])).toEqual([
      { role: 'user', content: 'Hello' },
      {
        role: 'assistant',
        content: '',
        toolCalls: [
          { id: 'id0', name: 'draw', argumentsJson: '{}' },
          { id: 'id1', name: 'draw', argumentsJson: '{}' },
        ],
      },
      { role: 'tool', toolCallId: 'id1', content: 'two' },
      { role: 'tool', toolCallId: 'id0', content: 'one' },
      { role: 'user', content: 'Well?' },
    ]);
    // The next turn needs no results, and has the same prefix.
    await run({ previousResponseId: resultOf(next).responseId ?? '' });
    expect(messagesOf(requests[2])).toEqual([
      ...messagesOf(requests[1]),
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: 'Hello' },
    ]);
  });

  it('does not continue without the results of all calls', async () => {
    const { run, requests } = await scriptedTurns(generations([call(0, 'draw'), call(1, 'draw')]));
    const { responseId: previousResponseId = '' } = resultOf(await run({ clientTools: [draw] }));
    await expect(run({ previousResponseId })).rejects.toMatchObject({
      code: 'invalid_value',
      field: 'messages',
      message: expect.stringContaining('id0, id1'),
    });
    await expect(
      run({ previousResponseId, messages: [result('id0', 'one')] }),
    ).rejects.toMatchObject({ message: expect.stringMatching(/results of tool calls: id1\./) });
    await expect(
      run({
        previousResponseId,
        messages: [result('id0', ''), result('id1', ''), result('id2', '')],
      }),
    ).rejects.toMatchObject({ code: 'invalid_value', field: 'messages[2].toolCallId' });
    expect(requests).toHaveLength(1);
  });

  it('passes on a whole list of messages unchanged', async () => {
    const { run, requests } = await scriptedTurns(generations([say('Done.')]));
    const toolCalls = [{ id: 'x', name: 'draw', argumentsJson: '{"a":1}' }];
    const text = (value: string) => [{ type: 'text', text: value }] as const;
    await run({
      messages: [
        { role: 'system', content: text('Be brief.') },
        { role: 'user', content: text('Draw.') },
        { role: 'assistant', content: [...text('a'), ...text('b')], toolCalls },
        result('x', 'a cat'),
        { role: 'assistant', content: [] },
        { role: 'user', content: text('Thanks.') },
      ],
      clientTools: [],
      isStored: false,
    });
    expect(messagesOf(requests[0])).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Draw.' },
      { role: 'assistant', content: 'a\nb', toolCalls },
      { role: 'tool', toolCallId: 'x', content: 'a cat' },
      { role: 'assistant', content: '' },
      { role: 'user', content: 'Thanks.' },
    ]);
    expect(requests[0]).not.toHaveProperty('tools');
    expect(requests[0]).not.toHaveProperty('toolChoice');
  });

  it('leaves every call to the client if the server has no tools', async () => {
    const { run } = await scriptedTurns(generations([call(0, 'unknown')]));
    const { items } = resultOf(await run({ clientTools: [draw] }));
    expect(items).toMatchObject([{ type: 'clientToolCall', name: 'unknown' }]);
  });

  it.each([
    ['there is none', { clientTools: [] }],
    ['none may be called', { clientTools: [draw], toolChoice: 'none' }],
  ] as const)('makes no call where %s, tells the model and lets it answer', async (_, changes) => {
    const { run, requests } = await scriptedTurns(generations([call(0, 'draw')], [say('Hi!')]));
    const events = await run(changes);
    expect(resultOf(events)).toMatchObject({
      stopReason: 'eosFound',
      items: [
        { type: 'invalidToolCall', cause: 'invalidName', exposedName: 'draw' },
        { type: 'message', text: 'Hi!' },
      ],
    });
    expect(events.some((event) => 'isForClient' in event && event.isForClient)).toBe(false);
    expect(messagesOf(requests[1]).at(-1)).toMatchObject({
      role: 'tool',
      content: 'There is no tool "draw". The tools are: none.',
    });
  });

  it('ends a turn of a model that keeps calling tools although it has none', async () => {
    const { run, requests } = await scriptedTurns(generations([call(0, 'draw')]));
    const { items, stopReason } = resultOf(await run({ clientTools: [] }));
    expect(requests).toHaveLength(3);
    expect(items.map(({ type }) => type)).toEqual(Array(3).fill('invalidToolCall'));
    expect(stopReason).toBe('eosFound');
  });

  it('gives a call an id where the engine gives none', async () => {
    const { run } = await scriptedTurns(
      generations([
        { type: 'toolCall.delta', index: 0, name: 'draw', argumentsJson: '{' },
        { type: 'toolCall.delta', index: 0, argumentsJson: '}' },
      ]),
    );
    const events = await run({ clientTools: [draw] });
    const [item] = resultOf(events).items;
    const id = item?.type === 'clientToolCall' ? item.id : '';
    expect(id).toMatch(/^[0-9a-f]{9}$/);
    expect(item).toMatchObject({ argumentsJson: '{}' });
    expect(events.filter(({ type }) => type === 'toolCall.delta')).toEqual([
      { type: 'toolCall.delta', index: 0, isForClient: true, id, name: 'draw', argumentsJson: '{' },
      { type: 'toolCall.delta', index: 0, isForClient: true, argumentsJson: '}' },
    ]);
  });
});

describe('a turn with tools of the client and of the server', () => {
  it('executes the calls of the server and ends with those of the client', async () => {
    const script = generations(
      [call(0, 'draw'), call(1, 'get_weather', '{"city":"Brest"}'), call(2, 'nothing')],
      [say('Done.')],
    );
    const { run, requests } = await scriptedTurns(script, weather);
    const events = await run({ clientTools: [draw], integrations });
    const { items, responseId: previousResponseId = '' } = resultOf(events);
    expect(items.map(({ type }) => type)).toEqual([
      'clientToolCall',
      'toolCall',
      'invalidToolCall',
    ]);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ tools: [{ name: 'get_weather' }, { name: 'draw' }] });
    const reason = 'There is no tool "nothing". The tools are: get_weather, draw.';
    expect(items[2]).toMatchObject({ reason });

    await run({ previousResponseId, messages: [result('id0', 'a cat')], integrations });
    const server = { id: 'call00001', name: 'get_weather', argumentsJson: '{"city":"Brest"}' };
    expect(messagesOf(requests[1]).slice(1)).toEqual([
      {
        role: 'assistant',
        content: '',
        toolCalls: [
          { id: 'id0', name: 'draw', argumentsJson: '{}' },
          server,
          { id: 'call00002', name: 'nothing', argumentsJson: '{}' },
        ],
      },
      { role: 'tool', toolCallId: 'call00001', content: 'Rain in Brest' },
      { role: 'tool', toolCallId: 'call00002', content: reason },
      { role: 'tool', toolCallId: 'id0', content: 'a cat' },
    ]);
  });

  it('rejects a client tool with the name of another tool', async () => {
    const { run } = await scriptedTurns(generations([say('Hi')]), weather);
    const events = await run({
      clientTools: [draw, { ...draw, name: 'get_weather' }],
      integrations,
    });
    expect(events.at(-2)).toMatchObject({
      type: 'turn.error',
      error: { code: 'invalid_value', field: 'clientTools[1].name' },
    });
  });

  it.each(['required', { name: 'get_weather' }] as const)(
    'forces a call in the first generation alone: %j',
    async (toolChoice) => {
      const script = generations(
        [call(0, 'get_weather', '{"city":"Brest"}')],
        [call(0, 'get_weather', '{"city":"Nice"}')],
        [say('Rain.')],
      );
      const { run, requests } = await scriptedTurns(script, weather);
      await run({ toolChoice, integrations });
      expect(
        requests.map((request) => (request.kind === 'chat' ? request.toolChoice : undefined)),
      ).toEqual([toolChoice, 'auto', 'auto']);
    },
  );
});
