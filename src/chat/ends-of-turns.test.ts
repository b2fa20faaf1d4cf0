import { describe, expect, it, vi } from 'vitest';
import { scriptedTool } from '../../test/setup/chat/scripted-tools.ts';
import {
  generationEnd as end,
  resultOf,
  scriptedTurns,
  scriptedTurnsWith,
} from '../../test/setup/chat/scripted-turn.ts';
import { libraryOf } from '../../test/setup/instances/scripted-pool.ts';
import { modelEntry } from '../../test/setup/models/model-entry.ts';
import { testContext } from '../../test/setup/test-context.ts';
import { HearthError } from '../kernel/errors/errors.ts';
import type { GenerationEvent, GenerationRequest } from '../engines/engine.ts';
import type { TurnEvent } from './turn-event.ts';
import type { TurnRequest } from './turn-request.ts';

async function* sayHi(): AsyncGenerator<GenerationEvent> {
  yield { type: 'content.delta', text: 'Hi' };
  yield end;
}

describe('a turn', () => {
  it('begins again on a fresh instance, without what a lost engine wrote', async () => {
    const turns = await scriptedTurns(async function* (generation) {
      yield { type: 'reasoning.delta', text: generation === 0 ? 'Lost' : 'Hm' };
      yield { type: 'content.delta', text: generation === 0 ? 'Lost' : 'Hi' };
      if (generation === 0) await turns.loseEngine();
      yield end;
    });
    const events = await turns.run({ isWhole: true });
    expect(events.filter(({ type }) => type === 'turn.start')).toHaveLength(1);
    expect(resultOf(events)).toMatchObject({
      items: [
        { type: 'reasoning', text: 'Hm' },
        { type: 'message', text: 'Hi' },
      ],
      usage: { promptTokens: 7, completionTokens: 5 },
      stopReason: 'eosFound',
      isMalformed: false,
    });
    expect(turns.launcher.launchCount()).toBe(2);
  });

  it('repeats the generation but no call on another instance once a tool was called', async () => {
    let callCount = 0;
    const look = scriptedTool('look', async () => `${(callCount += 1)}`);
    const turns = await scriptedTurns(async function* (generation) {
      const texts = ['Let me look.', 'Half an ans', 'An answer'];
      yield { type: 'content.delta', text: texts[generation] ?? '' };
      if (generation === 0) {
        yield { type: 'toolCall.delta', index: 0, id: 'a', name: 'look', argumentsJson: '{}' };
        yield { ...end, stopReason: 'toolCalls' };
        return;
      }
      if (generation === 1) await turns.loseEngine();
      yield end;
    }, look);
    const integrations = [{ type: 'plugin', id: 'mcp/test' }] as const;
    const context = testContext();
    const events: TurnEvent[] = [];
    for await (const event of turns.startWith(context, { isWhole: true, integrations })) {
      events.push(event);
    }
    expect(callCount).toBe(1);
    expect(turns.launcher.launchCount()).toBe(2);
    expect(events.map(({ type }) => type).filter((type) => !/^(?:load|prompt)/.test(type))).toEqual(
      [
        'turn.start',
        'message.start',
        'message.delta',
        'message.end',
        'toolCall.start',
        'toolCall.delta',
        'toolCall.arguments',
        'toolCall.success',
        'message.start',
        'message.delta',
        'message.end',
        'turn.end',
      ],
    );
    expect(resultOf(events).items).toMatchObject([
      { type: 'message', text: 'Let me look.' },
      { type: 'toolCall' },
      { type: 'message', text: 'An answer' },
    ]);
    expect(context.record.failure).toBeUndefined();
  });

  it('stores a turn that was cancelled as such', async () => {
    const controller = new AbortController();
    const { run, store } = await scriptedTurns(async function* (_, signal) {
      yield { type: 'content.delta', text: 'Half an ans' };
      controller.abort(new HearthError('cancelled', 'The response was cancelled.'));
      signal.throwIfAborted();
    });
    const events = await run({}, controller.signal);
    expect(events.at(-2)).toMatchObject({ type: 'turn.error', error: { code: 'cancelled' } });
    const stored = await store.responses.find(resultOf(events).responseId ?? '', null);
    expect(stored?.turn).toMatchObject({ isInterrupted: true, isCancelled: true });
  });

  it('reports the failure of a turn whose output can not be stored either', async () => {
    const { run, store } = await scriptedTurns(async function* () {
      yield { type: 'content.delta', text: 'Half an ans' };
      throw new HearthError('crashed', 'The engine stopped.');
    });
    await store.close();
    const events = await run();
    expect(events.at(-2)).toMatchObject({ type: 'turn.error', error: { code: 'crashed' } });
    expect(resultOf(events)).not.toHaveProperty('responseId');
    expect(resultOf(events).items).toEqual([{ type: 'message', text: 'Half an ans' }]);
  });

  it('gives a draft before the generation, and stores that the turn was in the background', async () => {
    const { run, store, requests } = await scriptedTurns(sayHi);
    const { id: conversationId } = await store.conversations.create({
      ownerId: null,
      metadata: {},
    });
    const drafts: unknown[] = [];
    const onDraft: TurnRequest['onDraft'] = async (draft) => {
      expect(requests).toEqual([]);
      drafts.push(draft);
    };
    const { responseId = '' } = resultOf(
      await run({ isBackground: true, conversationId, metadata: { a: 'b' }, onDraft }),
    );
    const stored = await store.responses.find(responseId, null);
    expect(stored?.turn).toMatchObject({ isBackground: true, metadata: { a: 'b' } });
    expect(stored?.turn).not.toHaveProperty('isInterrupted');
    expect(stored?.turn).not.toHaveProperty('isCancelled');
    expect(drafts).toMatchObject([
      {
        conversationId,
        blobs: [],
        response: { id: responseId, turn: { isInterrupted: true, isBackground: true, items: [] } },
      },
    ]);
  });

  it('names the reason of the database why an answer is not stored', async () => {
    const { run, store } = await scriptedTurns(sayHi);
    const insert = vi.spyOn(store.responses, 'insert');
    insert.mockRejectedValue(Object.assign(new Error('a table'), { code: '42P01' }));
    expect((await run()).at(-2)).toMatchObject({
      error: {
        code: 'storage_failed',
        message:
          'The response was generated but could not be stored: a table of the database is missing. See the log of the server.',
      },
    });
  });
});

describe('a turn that may drop old turns', () => {
  const texts = (request: GenerationRequest | undefined) =>
    request?.kind === 'chat' ? request.messages.map(({ content }) => content) : [];
  const said = (text: string, role: 'user' | 'assistant' = 'user') =>
    ({ role, content: [{ type: 'text', text }] }) as const;

  // covers v1-chat-29
  it('keeps the newest that fit beside the answer', async () => {
    const { run, requests } = await scriptedTurns(sayHi);
    const messages = Array.from({ length: 150 }, (_, index) => [
      said(`${index}`),
      said('Yes', 'assistant'),
    ]).flat();
    // The scripted engine counts messages; a fourth of the context is for the answer.
    const changes = { contextLength: 256, messages: [...messages, said('now')] };
    const { droppedTurns } = resultOf(await run({ ...changes, dropsOldTurns: true }));
    expect(droppedTurns).toBe(55);
    expect(texts(requests[0])).toHaveLength(191);
    expect(texts(requests[0])[0]).toBe('55');
    expect(texts(requests[0]).at(-1)).toBe('now');
    expect(await run(changes)).toContainEqual(
      expect.objectContaining({
        error: expect.objectContaining({ code: 'context_length_exceeded' }),
      }),
    );
    expect(requests).toHaveLength(1);
  });

  it('drops turns that are too long to be counted', async () => {
    const tokenizer = { keeps: 'bytes', longestTokenBytes: 1 } as const;
    const library = libraryOf(modelEntry({ tokenizer }));
    const { run, requests } = await scriptedTurnsWith({ library }, sayHi);
    const messages = [said('a'.repeat(256 * 16 + 1)), said('Yes', 'assistant'), said('now')];
    const changes = { contextLength: 256, messages, dropsOldTurns: true };
    expect(resultOf(await run(changes)).droppedTurns).toBe(1);
    expect(texts(requests[0])).toEqual(['now']);
  });
});
