import { describe, expect, it } from 'vitest';
import {
  scriptedTurnsWith,
  turnRequest,
  userMessage,
  generationEnd,
} from '../../../test/setup/chat/scripted-turn.ts';
import { deferred } from '../../../test/setup/deferred.ts';
import { testContext } from '../../../test/setup/test-context.ts';
import type { TurnEvent } from '../turn-event.ts';
import type { TurnRequest } from '../turn-request.ts';
import { abortable } from '../../kernel/concurrency/abortable.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { GenerationEvent } from '../../engines/engine.ts';
import type { RequestContext } from '../../kernel/request/request-context.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { LeaseKeeper } from '../../store/shared/lease-keeper.ts';
import type { BackgroundTurn } from './background-turn.ts';
import { BackgroundTurns, type BackgroundTurnsOptions } from './background-turns.ts';

const signal = new AbortController().signal;
const owner = (tokenId: string | null) => testContext({ caller: { tokenId } });

async function open(
  options: Partial<BackgroundTurnsOptions>,
  script: (generation: number, signal: AbortSignal) => AsyncIterable<GenerationEvent>,
) {
  const { services, store, requests } = await scriptedTurnsWith(
    { defaults: { contextLength: 2048, parallel: 1 } },
    script,
  );
  const leases = new LeaseKeeper({ leases: store.leases, holder: 'one', onError: () => {} });
  const logger = createLogger('silent');
  const background = new BackgroundTurns({ maxRunning: 2, store, leases, logger, ...options });
  const start = (changes: Partial<TurnRequest> = {}, context: RequestContext = testContext()) =>
    background.start(services, turnRequest(changes), context);
  return { background, start, store, requests };
}

async function read(turn: BackgroundTurn, after = -1) {
  const all: { readonly sequence: number; readonly value: TurnEvent }[] = [];
  for await (const each of turn.events(after, signal)) all.push(each);
  return all;
}

/** Waits for the first output. */
async function output(turn: BackgroundTurn): Promise<void> {
  for await (const { value } of turn.events(-1, signal)) {
    if (value.type === 'message.delta') return;
  }
}

async function* say(...texts: readonly string[]): AsyncGenerator<GenerationEvent> {
  for (const text of texts) yield { type: 'content.delta', text };
  yield generationEnd;
}

/** Writes "One" and waits for the test, or for the abort of the turn. */
function pausing() {
  const go = deferred<void>();
  const script = async function* (
    _: number,
    aborted: AbortSignal,
  ): AsyncGenerator<GenerationEvent> {
    yield { type: 'content.delta', text: 'One' };
    await abortable(go.promise, aborted);
    yield { type: 'content.delta', text: ' two' };
    yield generationEnd;
  };
  return { script, go };
}

describe('a turn in the background', () => {
  it('continues without its client, and replays its events to every reader', async () => {
    const { script, go } = pausing();
    const { start, store, background } = await open({}, script);
    const client = new AbortController();
    const turn = await start({}, testContext({ signal: client.signal }));
    client.abort();
    expect(turn.isRunning).toBe(true);
    const following = read(turn);
    go.resolve();
    const followed = await following;
    expect(followed.map(({ sequence }) => sequence)).toEqual(followed.map((_, index) => index));
    expect(followed.at(-1)?.value).toMatchObject({ type: 'turn.end' });
    expect(await read(turn)).toEqual(followed);
    expect(await read(turn, 3)).toEqual(followed.slice(4));
    expect(await read(turn, 1000)).toEqual([]);
    expect(turn.status).toBe('completed');
    expect(await store.responses.find(turn.id, null)).toMatchObject({
      turn: { items: [{ type: 'message', text: 'One two' }], isBackground: true },
    });
    await background.close();
  });

  it('stores what it has when it is cancelled', async () => {
    const { script } = pausing();
    const { start, store, background } = await open({}, script);
    const turn = await start();
    const following = read(turn);
    await output(turn);
    expect(await background.cancel(turn.id, null, signal)).toBe(turn);
    expect(turn.status).toBe('cancelled');
    expect((await following).slice(-2).map(({ value }) => value)).toMatchObject([
      { type: 'turn.error', error: { code: 'cancelled' } },
      { type: 'turn.end', result: { responseId: turn.id } },
    ]);
    expect(await store.responses.find(turn.id, null)).toMatchObject({
      turn: {
        items: [{ type: 'message', text: 'One' }],
        isInterrupted: true,
        isCancelled: true,
      },
    });
    expect(await background.cancel(turn.id, null, signal)).toBe(turn);
    expect(turn.status).toBe('cancelled');
    await background.close();
  });

  it('stores what it has when the server stops, and no other one starts', async () => {
    const { script } = pausing();
    const { start, store, background } = await open({}, script);
    const turn = await start();
    await output(turn);
    await background.close();
    expect(turn.status).toBe('failed');
    const stored = await store.responses.find(turn.id, null);
    expect(stored?.turn).toMatchObject({ items: [{ text: 'One' }], isInterrupted: true });
    expect(stored?.turn.isCancelled).toBeUndefined();
    await expect(start()).rejects.toMatchObject({ code: 'shutting_down' });
  });

  it('keeps the output of an engine that fails on the way', async () => {
    const { start, store } = await open({}, async function* () {
      yield { type: 'content.delta', text: 'One' };
      throw new HearthError('crashed', 'The engine exited.');
    });
    const turn = await start();
    await turn.ended;
    expect(turn).toMatchObject({ status: 'failed', error: { code: 'crashed' } });
    expect(await store.responses.find(turn.id, null)).toMatchObject({
      turn: { items: [{ text: 'One' }], isInterrupted: true },
    });
  });

  it('is stored where the engine fails before any output', async () => {
    const { start, store } = await open({}, async function* () {
      // Progress, after which the request counts as accepted.
      yield { type: 'prompt.progress', processedTokens: 1, cachedTokens: 0, totalTokens: 2 };
      throw new HearthError('crashed', 'The engine exited.');
    });
    const turn = await start();
    await turn.ended;
    expect(turn).toMatchObject({ status: 'failed', error: { code: 'crashed' } });
    expect(await store.responses.find(turn.id, null)).toMatchObject({
      turn: { items: [], isInterrupted: true, isBackground: true },
    });
  });

  it('is not started where its request fails', async () => {
    const { start, background } = await open({}, () => say('Hi'));
    const unknown = start({ model: 'test/none', responseId: 'resp_x' });
    await expect(unknown).rejects.toMatchObject({ code: 'model_not_found' });
    expect(await background.find('resp_x', null)).toBeUndefined();
    const late = await open({}, async function* (generation) {
      if (generation === 0) yield generationEnd;
      else throw new HearthError('context_length_exceeded', 'Too long.');
    });
    await (
      await late.start()
    ).ended;
    const tooLong = late.start({ responseId: 'resp_y' });
    await expect(tooLong).rejects.toMatchObject({ code: 'context_length_exceeded' });
    expect(await late.background.find('resp_y', null)).toBeUndefined();
    expect(await late.store.responses.find('resp_y', null)).toBeUndefined();
  });

  it('is cancelled and stored while it waits for a slot', async () => {
    const { script } = pausing();
    const { start, store, background } = await open({}, script);
    const first = await start();
    await output(first);
    const waiting = await start();
    expect(waiting.status).toBe('queued');
    await background.cancel(waiting.id, null, signal);
    expect(waiting.status).toBe('cancelled');
    expect(await store.responses.find(waiting.id, null)).toMatchObject({
      turn: { messages: userMessage('Hello'), items: [], isCancelled: true },
    });
    expect(first.isRunning).toBe(true);
    await background.close();
  });

  it('belongs to its owner', async () => {
    const { script } = pausing();
    const { start, background } = await open({}, script);
    const own = await start({}, owner('ada'));
    expect(await background.find(own.id, 'ada')).toBe(own);
    expect(await background.find(own.id, 'bob')).toBeUndefined();
    expect(await background.find(own.id, null)).toBeUndefined();
    expect(await background.cancel(own.id, 'bob', signal)).toBeUndefined();
    expect(own.isRunning).toBe(true);
    const shared = await start({}, owner(null));
    expect(await background.find(shared.id, 'bob')).toBe(shared);
    expect(await background.cancel(shared.id, 'bob', signal)).toBeUndefined();
    await background.close();
  });

  it('is one of a limited number', async () => {
    const { script } = pausing();
    const { start, background } = await open({ maxRunning: 1 }, script);
    const first = await start();
    await expect(start()).rejects.toMatchObject({ code: 'queue_full', retryAfterSeconds: 5 });
    await background.cancel(first.id, null, signal);
    const second = await start();
    expect(second.isRunning).toBe(true);
    await background.close();
  });

  it('drops its first events where they take too much memory, and tells late readers', async () => {
    const texts = Array.from({ length: 200 }, (_, index) => `${index} `);
    const { start } = await open({ maxTurnBytes: 10_000 }, () => say(...texts));
    const turn = await start();
    await turn.ended;
    expect(turn.sizeBytes).toBeLessThanOrEqual(10_000);
    expect(await turn.recorded()).toBeUndefined();
    await expect(read(turn)).rejects.toMatchObject({ code: 'response_not_found' });
  });

  // covers v1-event-18
  it('is forgotten some time after its end, or when others need the memory', async () => {
    const { start, background } = await open({ retentionMs: 1 }, () => say('Hi'));
    const turn = await start();
    await turn.ended;
    await expect.poll(() => background.find(turn.id, null)).toBeUndefined();

    const small = await open({ maxEndedBytes: 2500 }, () => say('Hi'));
    const first = await small.start();
    await first.ended;
    const second = await small.start();
    await second.ended;
    await expect.poll(() => small.background.find(first.id, null)).toBeUndefined();
    expect(await small.background.find(second.id, null)).toBe(second);
    await small.background.close();
  });

  it('does not keep the messages of its request, and counts its instructions', async () => {
    const { background, start } = await open({ maxEndedBytes: 20_000 }, () => say('Hi'));
    const first = await start({ instructions: 'Be brief. '.repeat(1000) });
    await first.ended;
    expect(first.head).not.toHaveProperty('messages');
    const second = await start();
    await second.ended;
    await expect.poll(() => background.find(first.id, null)).toBeUndefined();
    expect(await background.find(second.id, null)).toBe(second);
    await background.close();
  });

  it('ends a reader whose client goes away', async () => {
    const { script } = pausing();
    const { start, background } = await open({}, script);
    const turn = await start();
    const client = new AbortController();
    const reading = (async () => {
      for await (const { value } of turn.events(-1, client.signal)) {
        if (value.type === 'message.delta') client.abort(new Error('gone'));
      }
    })();
    await expect(reading).rejects.toThrow('gone');
    expect(turn.isRunning).toBe(true);
    await background.close();
  });
});

it('runs a turn that the database can not share, such as on a full disk', async () => {
  const { background, start, store } = await open({}, () => say('One'));
  const fail = async (): Promise<never> => {
    throw new Error('database or disk is full');
  };
  Object.assign(store.backgroundTurns, { insert: fail, setDraft: fail });
  const turn = await start();
  const events = await read(turn);
  expect(events.at(-1)?.value).toMatchObject({ type: 'turn.end' });
  expect(await background.find(turn.id, null)).toBe(turn);
});

it('is refused while the database is away: no other server would find it', async () => {
  const { background, start, store } = await open({ maxRunning: 1 }, () => say('One'));
  // Loads the model.
  await (
    await start()
  ).ended;
  const works = { ...store.backgroundTurns };
  const fail = async (): Promise<never> => {
    throw new HearthError('store_unavailable', 'The database is not available.');
  };
  for (const away of [{ insert: fail }, { setDraft: fail }]) {
    Object.assign(store.backgroundTurns, away);
    const refused = start({ responseId: 'resp_x' });
    await expect(refused).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await background.find('resp_x', null)).toBeUndefined();
    Object.assign(store.backgroundTurns, works);
  }
  const turn = await start({ responseId: 'resp_x' });
  await turn.ended;
  expect(turn.status).toBe('completed');
});
