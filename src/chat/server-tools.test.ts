import { describe, expect, it } from 'vitest';
import {
  buyBread,
  call,
  openShop,
  provider,
  requestIds,
  say,
} from '../../test/setup/chat/scripted-shop.ts';
import type { TurnRequest } from './turn-request.ts';

describe('an answer to a call', () => {
  it.each<[string, (id: string) => Partial<TurnRequest>, string, string]>([
    [
      'is required',
      () => ({}),
      'messages',
      '^previousResponseId "resp_.*" waits for the approval of tool calls: mcpr_.*, mcpr_',
    ],
    [
      'comes once',
      (requestId) => ({
        approvals: [
          { requestId, isApproved: true },
          { requestId, isApproved: false },
        ],
      }),
      'approvals[1].requestId',
      'is answered twice',
    ],
    [
      'has a call',
      (requestId) => ({
        approvals: [
          { requestId, isApproved: true },
          { requestId: 'mcpr_x', isApproved: true },
        ],
      }),
      'approvals[1].requestId',
      'There is no approval request "mcpr_x" in previousResponseId',
    ],
    [
      'is quoted in short',
      () => ({ approvals: [{ requestId: 'x'.repeat(101), isApproved: true }] }),
      'approvals[0].requestId',
      'There is no approval request "x{100}" in',
    ],
    [
      'comes with the server of the call',
      (requestId) => ({
        approvals: [
          { requestId, isApproved: true },
          { requestId: requestId.replace(/0$/, '1'), isApproved: false },
        ],
        integrations: [
          { type: 'ephemeralMcp', serverLabel: 'market', serverUrl: 'http://localhost/mcp' },
          { type: 'plugin', id: 'shop' },
        ],
      }),
      'integrations',
      '"shop" is approved, and integrations does not have this server',
    ],
  ])('%s', async (_, changesOf, field, message) => {
    const buyMilk = call(1, 'buy', '{"what":"milk"}');
    const { turn, bought } = await openShop([buyBread, buyMilk], [say('Done.')]);
    const { events, previousResponseId } = await turn();
    const changes = changesOf(requestIds(events)[0] ?? '');
    await expect(turn({ previousResponseId, ...changes })).rejects.toMatchObject({
      code: 'invalid_value',
      field,
      message: expect.stringMatching(message),
    });
    expect(bought).toEqual([]);
  });

  it('needs a response that it answers', async () => {
    const { turn } = await openShop([say('Done.')]);
    const approvals = [{ requestId: 'mcpr_x', isApproved: true }];
    await expect(turn({ approvals })).rejects.toMatchObject({
      code: 'invalid_value',
      field: 'approvals[0].requestId',
      message:
        'There is no approval request "mcpr_x": continue the response that has it, or send it in the input.',
    });
  });
});

describe('a list of tools', () => {
  const toolLists = { knownLabels: [] };

  it('is an item of the first turn with the server', async () => {
    const { turn } = await openShop([say('Hi.')]);
    const first = await turn({ toolLists });
    expect(first.items).toMatchObject([
      { type: 'toolList', provider, tools: [{ name: 'buy' }, { name: 'look' }] },
      { type: 'message' },
    ]);
    const types = first.events.map(({ type }) => type);
    const start = types.indexOf('toolList.start');
    expect(types.slice(start, start + 2)).toEqual(['toolList.start', 'toolList.end']);
    const { previousResponseId } = first;
    const next = await turn({ previousResponseId, toolLists });
    expect(next.items.map(({ type }) => type)).toEqual(['message']);
    const known = await turn({ toolLists: { knownLabels: ['shop'] } });
    expect(known.items.map(({ type }) => type)).toEqual(['message']);
    expect((await turn()).items.map(({ type }) => type)).toEqual(['message']);
  });
});

describe('a choice of the tool of a server', () => {
  it('has the name that the model knows', async () => {
    const { turn, requests } = await openShop([say('Hi.')]);
    await turn({ toolChoice: { serverLabel: 'shop', name: 'look' } });
    expect(requests).toMatchObject([{ toolChoice: { name: 'look' } }]);
  });

  it.each([
    ['shop', 'sell'],
    ['market', 'look'],
  ])('is refused for what %s does not offer: %s', async (serverLabel, name) => {
    const { turn, requests } = await openShop([say('Hi.')]);
    const { events } = await turn({ toolChoice: { serverLabel, name } });
    expect(events.at(-2)).toMatchObject({
      type: 'turn.error',
      error: {
        code: 'invalid_value',
        field: 'toolChoice',
        message: `\`toolChoice\` names the tool "${name}" of the server "${serverLabel}", which the request does not offer.`,
      },
    });
    expect(requests).toEqual([]);
  });
});
