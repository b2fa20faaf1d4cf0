import { describe, expect, it } from 'vitest';
import {
  resultOf,
  scriptedTurns,
  generationEnd,
} from '../../../../test/setup/chat/scripted-turn.ts';
import type { TurnEvent } from '../../../chat/turn-event.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import type { ChoiceEvent } from '../../openai/chat/choices.ts';
import { collect } from './collect.ts';

/** The events and the result of a turn. */
async function runHello() {
  const turns = await scriptedTurns(async function* () {
    yield { type: 'content.delta', text: 'Hello!' };
    yield generationEnd;
  });
  const events = await turns.run({ isStored: false });
  return { events, result: resultOf(events) };
}

async function* iterate<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

/** The events with an error before the end. */
const withError = (events: readonly TurnEvent[], error: HearthError): readonly TurnEvent[] => [
  ...events.slice(0, -1),
  { type: 'turn.error', error },
  ...events.slice(-1),
];

describe('the events of a turn', () => {
  it('are collected to its result', async () => {
    const { events, result } = await runHello();
    const seen: TurnEvent[] = [];
    const onEvent = (event: TurnEvent) => void seen.push(event);
    expect(await collect(iterate(events), { onEvent })).toEqual({
      results: [result],
      storageFailure: undefined,
    });
    expect(seen).toEqual(events);
  });

  it('are collected for each choice', async () => {
    const { events, result } = await runHello();
    const choices = [1, 0].flatMap((index): readonly ChoiceEvent<TurnEvent>[] =>
      events.map((event) => ({ index, event })),
    );
    const { results } = await collect(iterate(choices), { count: 2 });
    expect(results).toEqual([result, result]);
  });

  it('give the result beside the error if only storing failed', async () => {
    const { events, result } = await runHello();
    const error = new HearthError('storage_failed', 'The disk is full.');
    expect(await collect(iterate(withError(events, error)))).toEqual({
      results: [result],
      storageFailure: error,
    });
  });

  it('throw the error of the turn', async () => {
    const { events } = await runHello();
    const error = new HearthError('crashed', 'It stopped.');
    await expect(collect(iterate(withError(events, error)))).rejects.toBe(error);
  });

  it('need a last event for each choice', async () => {
    const { events } = await runHello();
    const error = 'A generation ended without its last event';
    await expect(collect(iterate(events), { count: 2 })).rejects.toThrow(error);
    await expect(collect(iterate(events.slice(0, -1)))).rejects.toThrow(error);
  });
});
