import { describe, expect, it } from 'vitest';
import { conversationTurn } from '../../test/setup/store/conversation-turn.ts';
import { temporaryStore } from '../../test/setup/store/temporary-store.ts';
import type { HearthError } from '../kernel/errors/errors.ts';
import type { StoredResponse } from '../store/store.ts';
import { assertToolResults, loadHistory } from './history.ts';
import { systemTextOf } from './prompt-messages.ts';
import type { TurnMessage } from './turn-request.ts';

function response(id: string, turn: Partial<StoredResponse['turn']> = {}): StoredResponse {
  return {
    id,
    parentId: null,
    ownerId: null,
    createdAt: new Date(0),
    modelKey: 'a/b',
    modelInstanceId: 'a/b',
    turn: conversationTurn(turn),
  };
}

/** The error that `check` throws, with the names that an API has for fields. */
function described(check: () => void) {
  try {
    check();
    return undefined;
  } catch (error) {
    const failure = error as HearthError;
    const text = failure.describe((name) => `<${name}>`);
    return { code: failure.code, field: failure.field, text };
  }
}

const model = {
  maxContextLength: 100,
  tokenizer: { keeps: 'bytes', longestTokenBytes: 10 },
} as const;

describe('loadHistory', () => {
  it('reads only as far as the context of the model reaches', async () => {
    const store = await temporaryStore();
    const idOf = (index: number) => `resp_${index}`;
    const content = [{ type: 'text', text: 'x'.repeat(99) }] as const;
    for (let index = 0; index < 200; index += 1) {
      const turn = { messages: [{ role: 'user', content }] } as const;
      const parentId = index === 0 ? null : idOf(index - 1);
      await store.responses.insert({ ...response(idOf(index), turn), parentId }, []);
    }
    const load = (index: number, reader: Parameters<typeof loadHistory>[3] = model) =>
      loadHistory(store, { newestId: idOf(index) }, null, reader);
    expect((await load(9)).responses).toHaveLength(10);
    await expect(load(199)).rejects.toMatchObject({
      code: 'context_length_exceeded',
      // Of 1980 tokens, the ones of the eleven turns that were read.
      promptSize: { tokens: 109, isLowerBound: true, maxTokens: 100 },
      message: 'The conversation has at least 109 tokens; the context of the model holds 100.',
    });
    const unknown = { ...model, tokenizer: null };
    expect((await load(199, unknown)).responses).toHaveLength(200);
  });

  it('says in the words of the API that a response is not stored', async () => {
    const store = await temporaryStore();
    const request = { newestId: 'resp_1' };
    const error = await loadHistory(store, request, null, model).catch((thrown: unknown) => thrown);
    expect((error as HearthError).describe((name) => `<${name}>`)).toBe(
      '<previousResponseId> "resp_1" is not stored. It may have been deleted or made with "<isStored>": false; start a new conversation, or continue another response.',
    );
  });
});

describe('loadHistory of a request that drops old turns', () => {
  const idOf = (index: number) => `resp_${index}`;
  const text = (characters: number) =>
    ({ role: 'user', content: [{ type: 'text', text: 'x'.repeat(characters) }] }) as const;

  /** Stores turns of 99 characters that continue one another. */
  async function storeTurns(
    count: number,
    changes: Readonly<Record<number, Partial<StoredResponse['turn']>>> = {},
  ) {
    const store = await temporaryStore();
    for (let index = 0; index < count; index += 1) {
      const turn = { messages: [text(99)], ...changes[index] };
      const parentId = index === 0 ? null : idOf(index - 1);
      await store.responses.insert({ ...response(idOf(index), turn), parentId }, []);
    }
    const load = (index: number, context = 100) =>
      loadHistory(store, { newestId: idOf(index), dropsOldTurns: true }, null, {
        ...model,
        maxContextLength: context,
      });
    return { store, load };
  }

  it('reads only as far as the context reaches, and counts the rest', async () => {
    const { store, load } = await storeTurns(60);
    const history = await load(59);
    expect(history.responses.map(({ id }) => id)).toEqual(
      Array.from({ length: 11 }, (_, index) => idOf(49 + index)),
    );
    expect(history).toMatchObject({ droppedTurns: 49, systemPrompt: null });
    // Again, from the cache; then further, and whole.
    expect(await load(59)).toEqual(history);
    expect(await load(59, 200)).toMatchObject({ droppedTurns: 39 });
    expect(await load(59, 1000)).toMatchObject({ droppedTurns: 0 });
    expect((await load(59, 1000)).responses).toHaveLength(60);
    expect(await load(9)).toMatchObject({ droppedTurns: 0 });
    const turn = { messages: [text(99)] };
    await store.responses.insert({ ...response(idOf(60), turn), parentId: idOf(59) }, []);
    expect(await load(60)).toMatchObject({ droppedTurns: 50 });
  });

  it('begins with a message of the user after those of the system', async () => {
    const system = { role: 'system', content: text(50).content } as const;
    const { load } = await storeTurns(60, { 49: { messages: [system, text(49)] } });
    expect(await load(59)).toMatchObject({ droppedTurns: 49 });
  });

  it('keeps the first turn of a conversation, with either role', async () => {
    const greeting = { role: 'assistant', content: text(10).content } as const;
    const { load } = await storeTurns(3, { 0: { messages: [greeting] } });
    expect(await load(2)).toMatchObject({ droppedTurns: 0 });
  });

  it('counts questions and answers, but no reasoning', async () => {
    const items = [
      { type: 'reasoning', text: 'x'.repeat(1000) },
      { type: 'message', text: 'x'.repeat(50) },
    ] as const;
    const turns = Array.from({ length: 30 }, () => ({ messages: [text(49)], items }));
    const { load } = await storeTurns(30, Object.fromEntries(turns.entries()));
    expect((await load(29)).responses).toHaveLength(11);
  });

  it('keeps the newest system prompt, also of a turn that it does not read', async () => {
    const { store, load } = await storeTurns(60, {
      0: { systemPrompt: 'First.' },
      20: { systemPrompt: 'Second.' },
      58: { messages: [text(10)] },
    });
    expect(await load(59)).toMatchObject({ droppedTurns: 48, systemPrompt: 'Second.' });
    const turn = { messages: [text(99)] };
    await store.responses.insert({ ...response(idOf(60), turn), parentId: idOf(59) }, []);
    expect(await load(60)).toMatchObject({ droppedTurns: 49, systemPrompt: 'Second.' });
    expect(await load(15)).toMatchObject({ droppedTurns: 5, systemPrompt: 'First.' });
    expect(await load(25)).toMatchObject({ systemPrompt: 'Second.' });
  });

  it('begins with a message of the user', async () => {
    const result = { role: 'tool', toolCallId: 'a', content: text(99).content } as const;
    const { load } = await storeTurns(30, {
      19: { messages: [result] },
      20: { messages: [result] },
    });
    const history = await load(29);
    expect(history.responses.map(({ id }) => id)[0]).toBe(idOf(21));
    expect(history.droppedTurns).toBe(21);
  });
});

describe('systemTextOf', () => {
  it('is the newest system prompt with the instructions of this turn', async () => {
    const store = await temporaryStore();
    await store.responses.insert(response('1', { systemPrompt: 'One.' }), []);
    const second = { systemPrompt: 'Two.', instructions: 'Not now.' };
    await store.responses.insert({ ...response('2', second), parentId: '1' }, []);
    await store.responses.insert({ ...response('3'), parentId: '2' }, []);
    const history = await loadHistory(store, { newestId: '3' }, null, model);
    expect(systemTextOf({ systemPrompt: null }, {})).toBeUndefined();
    expect(systemTextOf(history, {})).toBe('Two.');
    expect(systemTextOf(history, { systemPrompt: '' })).toBe('');
    expect(systemTextOf(history, { instructions: 'Now.' })).toBe('Two.\n\nNow.');
    expect(systemTextOf({ systemPrompt: null }, { instructions: 'Now.' })).toBe('Now.');
  });
});

describe('assertToolResults', () => {
  const call = (id: string) =>
    ({ type: 'clientToolCall', round: 0, id, name: 'draw', argumentsJson: '{}' }) as const;
  const result = (toolCallId: string): TurnMessage => ({ role: 'tool', toolCallId, content: [] });
  const waiting = [
    response('0', { items: [call('old')] }),
    response('1', { items: [call('a'), call('b')] }),
  ];

  it('accepts the results of the last turn, in any order and among other messages', () => {
    const user: TurnMessage = { role: 'user', content: [] };
    const accepts = (...args: Parameters<typeof assertToolResults>) =>
      expect(described(() => assertToolResults(...args))).toBeUndefined();
    accepts(waiting, [result('b'), user, result('a')]);
    accepts([response('1')], [user]);
    // Without a history, any list of messages is accepted.
    accepts([], [result('c')]);
  });

  it('accepts results of calls that the messages themselves contain', () => {
    const toolCalls = [{ id: 'c', name: 'draw', argumentsJson: '{}' }];
    const own: TurnMessage = { role: 'assistant', content: [], toolCalls };
    expect(described(() => assertToolResults([response('1')], [own, result('c')]))).toBeUndefined();
    expect(described(() => assertToolResults([response('1')], [result('c'), own]))).toMatchObject({
      field: 'messages[0].toolCallId',
    });
    const silent: TurnMessage = { role: 'assistant', content: [] };
    expect(described(() => assertToolResults([response('1')], [silent]))).toBeUndefined();
  });

  it('names the calls without a result', () => {
    expect(described(() => assertToolResults(waiting, []))).toEqual({
      code: 'invalid_value',
      field: 'messages',
      text: '<previousResponseId> "1" waits for the results of tool calls: a, b. It continues only with a result for each of them, in the API that made the calls.',
    });
    expect(described(() => assertToolResults(waiting, [result('a')]))?.text).toContain('calls: b.');
  });

  it('names a result without a call; the calls of earlier turns have theirs', () => {
    expect(described(() => assertToolResults(waiting, [result('a'), result('old')]))).toEqual({
      code: 'invalid_value',
      field: 'messages[1].toolCallId',
      text: 'There is no tool call "old" in <previousResponseId> "1".',
    });
  });
});
