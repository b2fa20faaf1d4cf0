import { describe, expect, it } from 'vitest';
import { scriptedTool } from '../../test/setup/chat/scripted-tools.ts';
import type { Tool } from '../tools/toolbox.ts';
import { CallRecorder } from './call-recorder.ts';
import { checkToolCall } from './tool-call.ts';
import { TurnTools } from './turn-tools.ts';

const search = scriptedTool('search', async () => '', {
  exposedName: 'web_search',
  findArgumentIssue: ({ query }) => (query === '' ? 'The query is empty.' : undefined),
});
const draw = { name: 'draw', parameters: {} };
const toolsOf = (serverTools: readonly Tool[], clientTools?: readonly (typeof draw)[]) =>
  new TurnTools({ tools: () => serverTools, close: async () => {} }, clientTools);
const written = (name: string, argumentsJson: string) => ({ id: 'id1', name, argumentsJson });

describe('checkToolCall', () => {
  const check = (name: string, argumentsJson: string) =>
    checkToolCall(written(name, argumentsJson), 3, toolsOf([search], [draw]), 'mcpr_1');
  const known = { tool: 'search', provider: search.provider };
  const invalid = { type: 'invalidToolCall', round: 3, exposedName: 'web_search', ...known };

  it.each([
    ['an object', '{"query":"x"}', { query: 'x' }],
    ['nothing', '', {}],
    ['white space', ' \n', {}],
  ])('accepts %s as arguments', (_case, argumentsJson, args) => {
    expect(check('web_search', argumentsJson)).toEqual({
      type: 'valid',
      written: written('web_search', argumentsJson),
      tool: search,
      arguments: args,
    });
  });

  it('rejects arguments that are nested too deeply to be written again', () => {
    const nested = (levels: number) => `{"query":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    expect(check('web_search', nested(511)).type).toBe('valid');
    expect(check('web_search', nested(512)).type).toBe('invalid');
    expect(check('web_search', nested(100_000)).type).toBe('invalid');
  });

  it.each(['[]', 'null', '"x"', '7', '{"query":'])('rejects %s as arguments', (argumentsJson) => {
    expect(check('web_search', argumentsJson)).toEqual({
      type: 'invalid',
      written: written('web_search', argumentsJson),
      item: {
        ...invalid,
        cause: 'invalidArguments',
        reason: 'The arguments of search are not a JSON object.',
      },
    });
  });

  it('rejects arguments that do not match the schema, with the reason of the tool', () => {
    expect(check('web_search', '{"query":""}')).toMatchObject({
      type: 'invalid',
      item: {
        ...invalid,
        cause: 'invalidArguments',
        reason: 'The query is empty.',
        arguments: { query: '' },
      },
    });
  });

  it('leaves a call of a client tool unchecked', () => {
    expect(check('draw', 'no JSON')).toEqual({
      type: 'client',
      written: written('draw', 'no JSON'),
      item: { type: 'clientToolCall', round: 3, ...written('draw', 'no JSON') },
    });
  });

  it('names the tools that there are if a tool does not exist', () => {
    expect(check('fly', '{}')).toEqual({
      type: 'invalid',
      written: written('fly', '{}'),
      item: {
        type: 'invalidToolCall',
        round: 3,
        exposedName: 'fly',
        cause: 'invalidName',
        reason: 'There is no tool "fly". The tools are: web_search, draw.',
      },
    });
    expect(checkToolCall(written('fly', '{}'), 0, TurnTools.none(), 'mcpr_1')).toMatchObject({
      item: { cause: 'invalidName', reason: 'There is no tool "fly". The tools are: none.' },
    });
  });
});

describe('TurnTools', () => {
  it('leaves a tool of the client to it, also if a server announces one of that name later', () => {
    let serverTools: readonly Tool[] = [search];
    const toolbox = { tools: () => serverTools, close: async () => {} };
    const tools = new TurnTools(toolbox, [draw]);
    const ofServer = scriptedTool('draw', async () => '');
    serverTools = [ofServer, search];
    expect(tools.find('draw')).toEqual({ type: 'client' });
    expect(tools.definitions().map(({ name }) => name)).toEqual(['web_search', 'draw']);
    expect(tools.definitions().at(-1)).toBe(draw);
  });

  it('lists the tools of the servers before those of the client', () => {
    const described = scriptedTool('read', async () => '', { description: 'Reads.' });
    const tools = toolsOf([search, described], [draw]);
    expect(tools.definitions()).toEqual([
      { name: 'web_search', parameters: { type: 'object' } },
      { name: 'read', parameters: { type: 'object' }, description: 'Reads.' },
      draw,
    ]);
    expect(tools.isEmpty).toBe(false);
    expect(toolsOf([], [draw]).isEmpty).toBe(false);
    expect(toolsOf([], []).isEmpty).toBe(true);
    expect(TurnTools.none().isEmpty).toBe(true);
  });

  it('finds the owner of a tool; unknown names are those of the client only if the servers have none', () => {
    expect(toolsOf([search], [draw]).find('web_search')).toEqual({ type: 'server', tool: search });
    expect(toolsOf([search], [draw]).find('draw')).toEqual({ type: 'client' });
    expect(toolsOf([search], [draw]).find('search')).toBeUndefined();
    expect(toolsOf([search]).find('draw')).toBeUndefined();
    expect(toolsOf([], [draw]).find('fly')).toEqual({ type: 'client' });
    expect(toolsOf([], []).find('fly')).toBeUndefined();
    expect(toolsOf([]).find('fly')).toBeUndefined();
  });

  it('rejects a tool of the client with the name of another tool', () => {
    const clash = { ...draw, name: 'web_search' };
    expect(() => toolsOf([search], [draw, clash])).toThrow(
      expect.objectContaining({
        code: 'invalid_value',
        field: 'clientTools[1].name',
        message: expect.stringContaining('has the name "web_search" too'),
      }),
    );
    expect(() => toolsOf([search], [{ ...draw, name: 'search' }])).not.toThrow();
  });
});

describe('CallRecorder', () => {
  const piece = (index: number, argumentsJson: string) =>
    ({ type: 'toolCall.delta', index, argumentsJson }) as const;
  const recorderOf = () =>
    new CallRecorder({ round: 0, firstIndex: 0, tools: toolsOf([], []), responseId: 'resp_1' });
  const writtenBy = (calls: CallRecorder) => calls.calls.map((call) => call.written);

  it('joins the pieces of each call, whatever the numbers of the engine', () => {
    const calls = recorderOf();
    expect(calls.end()).toEqual([]);
    const add = (delta: Parameters<CallRecorder['record']>[0]) =>
      calls.record(delta, () => []).map((event) => ('index' in event ? event.index : undefined));
    expect(add({ ...piece(4, '{"a"'), id: 'x', name: 'se' })).toEqual([0, 0]);
    expect(add({ ...piece(4, ':1}'), id: 'ignored', name: 'arch' })).toEqual([0]);
    expect(add({ ...piece(2, '['), id: 'y', name: 'draw' })).toEqual([1, 1]);
    expect(add(piece(2, ']'))).toEqual([1]);
    calls.end();
    expect(writtenBy(calls)).toEqual([
      { id: 'x', name: 'search', argumentsJson: '{"a":1}' },
      { id: 'y', name: 'draw', argumentsJson: '[]' },
    ]);
  });

  it('leaves a call as it was when the next one began', () => {
    const calls = recorderOf();
    for (const delta of [piece(0, '{}'), piece(1, '{'), piece(0, ' late'), piece(1, '}')]) {
      calls.record(delta, () => []);
    }
    calls.end();
    expect(writtenBy(calls).map(({ argumentsJson }) => argumentsJson)).toEqual(['{}', '{}']);
  });

  it('gives a call without an id one of nine letters and digits', () => {
    const calls = recorderOf();
    for (const index of [0, 1]) calls.record(piece(index, '{}'), () => []);
    calls.end();
    const ids = writtenBy(calls).map(({ id }) => id);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{9}$/);
    expect(ids[0]).not.toBe(ids[1]);
    expect(writtenBy(calls)[0]?.name).toBe('');
  });
});
