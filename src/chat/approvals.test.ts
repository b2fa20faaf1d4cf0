import { describe, expect, it } from 'vitest';
import {
  buyBread,
  call,
  integrations,
  messagesOf,
  openShop,
  provider,
  requestIds,
  say,
} from '../../test/setup/chat/scripted-shop.ts';
import { scriptedTool } from '../../test/setup/chat/scripted-tools.ts';
import {
  generationEnd as end,
  resultOf,
  scriptedTurns,
  userMessage,
} from '../../test/setup/chat/scripted-turn.ts';

describe('a call that needs an approval', () => {
  it('ends the turn, and is made by the next one that approves it', async () => {
    const { turn, bought, requests } = await openShop([buyBread], [say('Here it is.')]);
    const first = await turn();
    const [requestId = ''] = requestIds(first.events);
    expect(requestId).toBe(`mcpr_${first.previousResponseId.replace('resp_', '')}_0`);
    expect(first.items).toEqual([
      {
        type: 'approvalRequest',
        round: 0,
        id: requestId,
        exposedName: 'buy',
        tool: 'buy',
        provider,
        arguments: { what: 'bread' },
      },
    ]);
    expect(bought).toEqual([]);
    const { previousResponseId } = first;
    const approvals = [{ requestId, isApproved: true }];
    const second = await turn({ previousResponseId, messages: [], approvals });
    expect(bought).toEqual(['bread']);
    const types = second.events.map(({ type }) => type);
    expect(types.indexOf('toolCall.success')).toBeLessThan(types.indexOf('message.delta'));
    expect(second.items).toMatchObject([
      { type: 'toolCall', approvalRequestId: requestId, result: [{ text: 'Bought bread' }] },
      { type: 'message', text: 'Here it is.' },
    ]);
    const calls = { role: 'assistant', toolCalls: [{ id: 'call00001', name: 'buy' }] };
    const result = { role: 'tool', toolCallId: 'call00001', content: 'Bought bread' };
    const prompt = [{ role: 'user', content: 'Hello' }, calls, result];
    expect(messagesOf(requests[1])).toMatchObject(prompt);

    // The same prompt again, from the store.
    await turn({ previousResponseId: second.previousResponseId, messages: userMessage('Thanks') });
    expect(messagesOf(requests[2])).toMatchObject([
      ...prompt,
      { role: 'assistant', content: 'Here it is.' },
      { role: 'user', content: 'Thanks' },
    ]);
  });

  it('is not made where it is refused, and the model gets the reason', async () => {
    const { turn, bought, requests } = await openShop([buyBread], [say('Well.')]);
    const { events, previousResponseId } = await turn();
    const [requestId = ''] = requestIds(events);
    const approvals = [{ requestId, isApproved: false, reason: 'too dear' }];
    // The server of a refused call need not be there.
    const next = await turn({
      previousResponseId,
      approvals,
      integrations: [],
      messages: userMessage('Something else'),
    });
    expect(bought).toEqual([]);
    expect(next.items).toMatchObject([{ type: 'message', text: 'Well.' }]);
    expect(messagesOf(requests[1]).slice(2)).toMatchObject([
      { role: 'tool', content: 'The user refused this call: too dear' },
      { role: 'user', content: 'Something else' },
    ]);
  });

  it('waits while the other calls of its generation are made', async () => {
    const calls = [call(0, 'look'), call(1, 'buy', '{"what":"milk"}'), call(2, 'buy', '{}')];
    const { turn, bought, requests } = await openShop(calls, [say('Done.')]);
    const { items, events, previousResponseId } = await turn();
    expect(items.map(({ type }) => type)).toEqual([
      'toolCall',
      'approvalRequest',
      'invalidToolCall',
    ]);
    const [requestId = ''] = requestIds(events);
    await turn({
      previousResponseId,
      messages: [],
      approvals: [{ requestId, isApproved: true }],
    });
    expect(bought).toEqual(['milk']);
    expect(messagesOf(requests[1]).slice(1)).toMatchObject([
      { role: 'assistant', toolCalls: [{ name: 'look' }, { name: 'buy' }, { name: 'buy' }] },
      { role: 'tool', toolCallId: 'call00001', content: 'Bread and milk' },
      { role: 'tool', toolCallId: 'call00003', content: 'Buy what?' },
      { role: 'tool', toolCallId: 'call00002', content: 'Bought milk' },
    ]);
  });

  it('counts as a call of the turn that makes it', async () => {
    const calls = [buyBread, call(1, 'buy', '{"what":"milk"}')];
    const { turn, bought, requests } = await openShop(calls, [say('Done.')]);
    const { events, previousResponseId } = await turn({ maxToolCalls: 1 });
    const approvals = requestIds(events).map((requestId) => ({ requestId, isApproved: true }));
    const next = await turn({ previousResponseId, messages: [], approvals, maxToolCalls: 1 });
    expect(bought).toEqual(['bread']);
    expect(next.items).toMatchObject([
      { type: 'toolCall' },
      { type: 'invalidToolCall', reason: 'The limit of 1 tool calls is reached.' },
      { type: 'message' },
    ]);
    expect(messagesOf(requests[1]).slice(2)).toMatchObject([
      { role: 'tool', toolCallId: 'call00001', content: 'Bought bread' },
      { role: 'tool', toolCallId: 'call00002', content: 'The limit of 1 tool calls is reached.' },
    ]);
  });

  it('is followed by its own result, now and when the prompt is read from the store', async () => {
    const calls = ['bread', 'milk', 'eggs'].map((what, index) =>
      call(index, 'buy', JSON.stringify({ what })),
    );
    const { turn, requests } = await openShop(calls, [say('Done.')]);
    const { events, previousResponseId } = await turn();
    const approvals = requestIds(events).map((requestId, index) => ({
      requestId,
      isApproved: index < 2,
    }));
    const next = await turn({ previousResponseId, messages: [], approvals });
    const prompt = messagesOf(requests[1]);
    expect(prompt.slice(2)).toEqual([
      { role: 'tool', toolCallId: 'call00001', content: 'Bought bread' },
      { role: 'tool', toolCallId: 'call00002', content: 'Bought milk' },
      { role: 'tool', toolCallId: 'call00003', content: 'The user refused this call.' },
    ]);
    await turn({ previousResponseId: next.previousResponseId, messages: userMessage('Thanks') });
    expect(messagesOf(requests[2]).slice(0, prompt.length)).toEqual(prompt);
  });

  it('fails where the tool has gone or no longer accepts the arguments', async () => {
    const { turn, bought } = await openShop([say('Done.')]);
    const answered = (tool: string, argumentsJson: string) => ({
      requestId: `mcpr_${tool}${argumentsJson.length}`,
      isApproved: true,
      call: { tool, provider, argumentsJson },
    });
    const { items } = await turn({
      approvals: [answered('sell', '{}'), answered('buy', '{}'), answered('buy', 'no JSON')],
    });
    expect(bought).toEqual([]);
    expect(items).toMatchObject([
      { type: 'invalidToolCall', cause: 'invalidName' },
      { type: 'invalidToolCall', reason: 'Buy what?' },
      { type: 'invalidToolCall', reason: 'The arguments of buy are not a JSON object.' },
      { type: 'message' },
    ]);
  });

  it('may be a message of the request', async () => {
    const { turn, bought, requests } = await openShop([say('Done.')]);
    const argumentsJson = '{"what":"bread"}';
    await turn({
      isStored: false,
      messages: [
        ...userMessage('Buy bread'),
        {
          role: 'assistant',
          content: [],
          toolCalls: [{ id: 'mcpr_1', name: 'buy', argumentsJson }],
        },
        ...userMessage('Quickly'),
      ],
      approvals: [
        { requestId: 'mcpr_1', isApproved: true, call: { tool: 'buy', provider, argumentsJson } },
      ],
    });
    expect(bought).toEqual(['bread']);
    expect(messagesOf(requests[0]).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
    ]);
  });
});

describe('an approval', () => {
  const used = { code: 'invalid_value', message: expect.stringContaining('was approved before') };

  /** A shop after a turn that waits for an approval, and the change of a turn that approves it. */
  async function waitingShop() {
    const shop = await openShop([buyBread], [say('Here it is.')]);
    const { events, previousResponseId } = await shop.turn();
    const [requestId = ''] = requestIds(events);
    const approvals = [{ requestId, isApproved: true }];
    return { ...shop, approve: { previousResponseId, messages: [], approvals } };
  }

  it('makes its call once, although the response is continued twice', async () => {
    const { turn, bought, approve } = await waitingShop();
    await turn(approve);
    await expect(turn(approve)).rejects.toMatchObject({ ...used, field: 'approvals[0].requestId' });
    expect(bought).toEqual(['bread']);
    const approvals = approve.approvals.map((each) => ({ ...each, isApproved: false }));
    const refused = await turn({ ...approve, approvals });
    expect(refused.items).toMatchObject([{ type: 'message', text: 'Here it is.' }]);
    expect(bought).toEqual(['bread']);
  });

  it('makes its call once where two turns approve it at the same time', async () => {
    const { run, bought, approve } = await waitingShop();
    const quoted = JSON.stringify(approve.approvals[0]?.requestId);
    const turns = await Promise.all([
      run({ integrations, ...approve }),
      run({ integrations, ...approve }),
    ]);
    expect(bought).toEqual(['bread']);
    const errors = turns.flat().filter(({ type }) => type === 'turn.error');
    expect(errors).toMatchObject([
      {
        error: {
          ...used,
          field: 'approvals',
          message: expect.stringContaining(`The approval request ${quoted} was approved before`),
        },
      },
    ]);
  });

  it('may come with one of a call that the client sends itself', async () => {
    const { turn, bought, approve } = await waitingShop();
    const sent = {
      requestId: 'mcpr_own',
      isApproved: true,
      call: { tool: 'buy', provider, argumentsJson: '{"what":"milk"}' },
    };
    await turn({ ...approve, approvals: [...approve.approvals, sent] });
    expect(bought).toEqual(['bread', 'milk']);
  });

  it('of the call of a plugin needs this plugin', async () => {
    const bought: unknown[] = [];
    const buy = scriptedTool('buy', async ({ what }) => `${bought.push(what)}`, {
      provider: { type: 'plugin', pluginId: 'mcp/shop' },
      needsApproval: true,
    });
    const { run } = await scriptedTurns(async function* (generation) {
      yield generation === 0 ? buyBread : say('Done.');
      yield end;
    }, buy);
    const plugin = { type: 'plugin', id: 'mcp/shop' } as const;
    const first = await run({ integrations: [plugin] });
    const { responseId: previousResponseId = '' } = resultOf(first);
    const approvals = [{ requestId: requestIds(first)[0] ?? '', isApproved: true }];
    const approve = { previousResponseId, messages: [], approvals };
    for (const other of [
      { type: 'plugin', id: 'mcp/other' },
      { type: 'ephemeralMcp', serverLabel: 'mcp/shop', serverUrl: 'http://localhost/mcp' },
    ] as const) {
      await expect(run({ ...approve, integrations: [other] })).rejects.toThrow(
        'A call of "mcp/shop" is approved',
      );
    }
    expect(bought).toEqual([]);
    await run({ ...approve, integrations: [plugin] });
    expect(bought).toEqual(['bread']);
  });

  it('is used although the turn that made the call was not stored', async () => {
    const { turn, start, bought, approve } = await waitingShop();
    const gone = new AbortController();
    const begun = start({ integrations, ...approve }, gone.signal);
    await expect(async () => {
      for await (const { type } of begun) if (type === 'toolCall.success') gone.abort();
    }).rejects.toThrow('aborted');
    await expect(turn(approve)).rejects.toMatchObject(used);
    expect(bought).toEqual(['bread']);
  });

  it('is not used by a call beyond the limit', async () => {
    const { turn, bought, approve } = await waitingShop();
    await turn({ ...approve, maxToolCalls: 0 });
    expect(bought).toEqual([]);
    await turn(approve);
    expect(bought).toEqual(['bread']);
  });
});
