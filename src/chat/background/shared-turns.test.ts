import { expect, it } from 'vitest';
import {
  generationEnd,
  scriptedTurnsWith,
  turnRequest,
} from '../../../test/setup/chat/scripted-turn.ts';
import { deferred } from '../../../test/setup/deferred.ts';
import { temporaryStore } from '../../../test/setup/store/temporary-store.ts';
import { testContext } from '../../../test/setup/test-context.ts';
import type { TurnEvent } from '../turn-event.ts';
import { abortable } from '../../kernel/concurrency/abortable.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { GenerationEvent } from '../../engines/engine.ts';
import { createLogger } from '../../telemetry/logger.ts';
import type { StoredResponse } from '../../store/store.ts';
import { LeaseKeeper } from '../../store/shared/lease-keeper.ts';
import { BackgroundTurns } from './background-turns.ts';
import type { FollowableTurn } from './followable-turn.ts';
import { itemsOf, missingEnd } from './recovery.ts';
import { decodeEvent, encodeEvent } from './turn-event-codec.ts';

const signal = new AbortController().signal;
const never = 2 ** 31 - 1;

/** Two servers on one database; the first runs a turn that writes "One" and waits. */
async function openTwo(durationMs = 60_000) {
  const go = deferred<void>();
  const { services, store } = await scriptedTurnsWith({}, async function* (_, aborted) {
    yield { type: 'content.delta', text: 'One' } satisfies GenerationEvent;
    await abortable(go.promise, aborted);
    yield { type: 'content.delta', text: ' two' } satisfies GenerationEvent;
    yield generationEnd;
  });
  const open = (holder: string) => {
    const leases = new LeaseKeeper({
      leases: store.leases,
      holder,
      onError: () => {},
      durationMs,
      renewMs: never,
    });
    const logger = createLogger('silent');
    return new BackgroundTurns({ maxRunning: 2, store, leases, logger, lookMs: 20 });
  };
  const [one, two] = [open('one'), open('two')];
  const turn = await one.start(
    services,
    turnRequest({ metadata: { project: 'sea' } }),
    testContext({ caller: { tokenId: 'ada' } }),
    { initial: { status: 'queued' } },
  );
  const find = async (callerId: string | null = 'ada'): Promise<FollowableTurn> => {
    const found = await two.find(turn.id, callerId);
    if (found === undefined) throw new Error('not found');
    return found;
  };
  return { one, two, turn, go, store, find };
}

async function read(turn: FollowableTurn, after = -1): Promise<readonly TurnEvent[]> {
  const all: TurnEvent[] = [];
  for await (const { value } of turn.events(after, signal)) all.push(value);
  return all;
}

it('shows a turn of one server in the other, to its owner', async () => {
  const { one, two, turn, go, find } = await openTwo();
  const other = await find();
  expect(other).toMatchObject({ id: turn.id, isRunning: true, endedAt: undefined });
  expect(other.head).toEqual(turn.head);
  expect(other.head).toMatchObject({ metadata: { project: 'sea' }, initial: { status: 'queued' } });
  expect(await two.find(turn.id, 'bob')).toBeUndefined();
  await expect(two.remove(turn.id, 'ada')).rejects.toMatchObject({ code: 'conflict' });
  const following = read(other);
  go.resolve();
  expect(await following).toEqual(await read(turn));
  expect(other).toMatchObject({ isRunning: false, error: undefined });
  expect(await read(await find(), 3)).toEqual(await read(turn, 3));
  expect(await (await find()).recorded()).toEqual(await turn.recorded());
  await two.remove(turn.id, 'bob');
  await two.remove(turn.id, 'ada');
  expect(await two.find(turn.id, 'ada')).toBeUndefined();
  await Promise.all([one.close(), two.close()]);
});

it('cancels a turn of the other server', async () => {
  const { one, two, turn, store } = await openTwo();
  expect(await two.cancel(turn.id, 'bob', signal)).toBeUndefined();
  const ended = await two.cancel(turn.id, 'ada', signal);
  expect(ended).toMatchObject({ isRunning: false, error: { code: 'cancelled' } });
  expect(await store.responses.find(turn.id, 'ada')).toMatchObject({ turn: { isCancelled: true } });
  await Promise.all([one.close(), two.close()]);
});

it('ends a turn whose server does not renew its lease, once', async () => {
  const { one, two, turn, go, store, find } = await openTwo(400);
  two.watch();
  const events = await read(await find());
  expect(events.slice(-3)).toMatchObject([
    { type: 'message.end', text: 'One' },
    { type: 'turn.error', error: { code: 'interrupted' } },
    { type: 'turn.end', result: { responseId: turn.id, items: [{ text: 'One' }] } },
  ]);
  const interrupted = { turn: { items: [{ text: 'One' }], isInterrupted: true } };
  expect(await store.responses.find(turn.id, 'ada')).toMatchObject(interrupted);
  // The first server was only slow: it does not store the response again.
  go.resolve();
  await turn.ended;
  expect(await store.responses.find(turn.id, 'ada')).toMatchObject(interrupted);
  expect((await read(await find())).slice(-1)).toEqual(events.slice(-1));
  await Promise.all([one.close(), two.close()]);
});

it('is ended by a server that starts again on the same home', async () => {
  const { one, turn, store } = await openTwo();
  const pieces = () => store.backgroundTurns.eventsFrom(turn.id, 0);
  await expect.poll(async () => (await pieces()).length).toBeGreaterThan(0);
  const leases = new LeaseKeeper({ leases: store.leases, holder: 'one', onError: () => {} });
  const logger = createLogger('silent');
  const again = new BackgroundTurns({ maxRunning: 2, store, leases, logger });
  again.watch();
  const isStored = async () => (await store.responses.find(turn.id, 'ada'))?.turn.isInterrupted;
  await expect.poll(isStored).toBe(true);
  await again.close();
  await one.close();
});

it('ends the other turns although one can not be ended', async () => {
  const store = await temporaryStore();
  const { backgroundTurns } = store;
  for (const id of ['resp_1', 'resp_2']) {
    await backgroundTurns.insert({ id, ownerId: null, createdAt: new Date(), head: '{}' });
  }
  await backgroundTurns.setDraft('resp_1', 'damaged');
  const leases = new LeaseKeeper({ leases: store.leases, holder: 'one', onError: () => {} });
  const logger = createLogger('silent');
  const background = new BackgroundTurns({ maxRunning: 2, store, leases, logger });
  background.watch();
  await expect.poll(async () => (await backgroundTurns.find('resp_2'))?.status).toBe('failed');
  expect(await backgroundTurns.find('resp_1')).toMatchObject({ status: 'recovering' });
  await background.close();
});

it('keeps errors in events', () => {
  const error = new HearthError('crashed', 'It ended.', { param: 'model', retryAfterSeconds: 3 });
  const decoded = decodeEvent(JSON.parse(encodeEvent({ type: 'turn.error', error })));
  expect(decoded).toMatchObject({
    type: 'turn.error',
    error: { code: 'crashed', message: 'It ended.', param: 'model', retryAfterSeconds: 3 },
  });
  expect((decoded as { readonly error: unknown }).error).toBeInstanceOf(HearthError);
});

it('knows the output of events, also of texts that have not ended', () => {
  const list = { type: 'toolList', provider: { type: 'plugin', pluginId: 'mcp/a' }, tools: [] };
  const events = [
    { type: 'reasoning.start' },
    { type: 'reasoning.delta', text: 'Hm' },
    { type: 'reasoning.end', text: 'Hm' },
    { type: 'toolList.end', item: list },
    { type: 'message.start' },
    { type: 'message.delta', text: 'A' },
    { type: 'message.delta', text: ' b' },
  ] as readonly TurnEvent[];
  expect(itemsOf(events)).toEqual([
    { type: 'reasoning', text: 'Hm' },
    list,
    { type: 'message', text: 'A b' },
  ]);
  expect(itemsOf([{ type: 'message.start' }])).toEqual([]);
});

it('tells the rest of an output that was stored before its last events', () => {
  const events = [
    { type: 'turn.start' },
    { type: 'reasoning.start' },
    { type: 'reasoning.delta', text: 'Hm' },
  ] as readonly TurnEvent[];
  const items = [
    { type: 'reasoning', text: 'Hmm.' },
    { type: 'message', text: 'One' },
  ];
  const stored = { id: 'resp_x', turn: { items } } as unknown as StoredResponse;
  expect(missingEnd(events, stored, undefined)).toMatchObject([
    { type: 'reasoning.delta', text: 'm.' },
    { type: 'reasoning.end', text: 'Hmm.' },
    { type: 'message.start' },
    { type: 'message.delta', text: 'One' },
    { type: 'message.end', text: 'One' },
    { type: 'turn.end', result: { items, responseId: 'resp_x' } },
  ]);
});
