import type { Kysely } from 'kysely';
import { beforeEach, expect, it, vi } from 'vitest';
import { conversationTurn } from '../../test/setup/store/conversation-turn.ts';
import { sqliteSchema } from '../../test/setup/store/sqlite-schema.ts';
import { createLogger } from '../telemetry/logger.ts';
import { ChainReader } from './chain-reader.ts';
import { createResponseRepository } from './response-repository.ts';
import type { Schema } from './schema.ts';
import type { ReadSystemPrompts } from './dialect.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { serialTransactions } from './transactions.ts';

let database: Kysely<Schema>;
let chains: ChainReader;
let deletionCount: number;
const readSystemPrompts = vi.fn<ReadSystemPrompts>();

beforeEach(async () => {
  database = await sqliteSchema();
  deletionCount = 0;
  readSystemPrompts.mockReset().mockImplementation(sqliteDialect.readSystemPrompts);
  chains = new ChainReader(database, readSystemPrompts, async () => deletionCount);
});

const idOf = (number: number) => `resp_${number.toString(16).padStart(48, '0')}`;

/** With a cache of its own. */
const repository = () => createResponseRepository({ database, logger: createLogger('silent') });

/** Stores responses that each continue the one before. */
async function grow(
  from: number,
  to: number,
  systemPrompts: Readonly<Record<number, string>> = {},
): Promise<void> {
  const responses = repository();
  for (let number = from; number <= to; number += 1) {
    await responses.insert(
      {
        id: idOf(number),
        parentId: number === 0 ? null : idOf(number - 1),
        ownerId: null,
        createdAt: new Date(number),
        modelKey: 'm',
        modelInstanceId: 'm',
        turn: conversationTurn({ systemPrompt: systemPrompts[number] ?? null }),
      },
      [],
    );
  }
}

/** The numbers of the responses that are read, the oldest of which is `oldest`. */
async function read(number: number, oldest = 0) {
  const chain = await chains.read(idOf(number), ({ id }) => id !== idOf(oldest));
  return (
    chain && {
      numbers: chain.responses.map(({ createdAt }) => createdAt.getTime()),
      olderCount: chain.olderCount,
      prompt: chain.olderSystemPrompt,
    }
  );
}

/** Responses whose system prompts were read, by query. */
function promptQueries(): readonly (readonly string[])[] {
  const queries = readSystemPrompts.mock.calls.map(([, ids]) => ids);
  readSystemPrompts.mockClear();
  return queries;
}

it('finds the newest system prompt of older turns, in steps', async () => {
  await grow(0, 29, { 2: 'oldest', 3: 'old' });
  expect(await read(29, 28)).toEqual({ numbers: [28, 29], olderCount: 28, prompt: 'old' });
  expect(promptQueries().map((ids) => ids.length)).toEqual([10, 10, 8]);
});

it('reads no more prompts once it has one', async () => {
  await grow(0, 29, { 3: 'old', 25: 'new' });
  expect(await read(29, 29)).toMatchObject({ prompt: 'new' });
  expect(promptQueries()).toHaveLength(1);
});

it('remembers the prompt of the turns that the parent did not read', async () => {
  await grow(0, 29, { 3: 'old' });
  await read(29, 29);
  promptQueries();
  await grow(30, 30);
  expect(await read(30, 30)).toEqual({ numbers: [30], olderCount: 30, prompt: 'old' });
  expect(promptQueries()).toEqual([[idOf(29)]]);
  await grow(31, 32, { 31: 'new' });
  await read(31, 31);
  expect(await read(32, 32)).toMatchObject({ prompt: 'new' });
});

it('does not count the prompt of a turn that is read as an older one', async () => {
  await grow(0, 9, { 5: 'old' });
  expect(await read(9, 9)).toMatchObject({ prompt: 'old' });
  expect(await read(9, 3)).toMatchObject({ numbers: [3, 4, 5, 6, 7, 8, 9], prompt: null });
  expect(await read(9)).toMatchObject({ olderCount: 0, prompt: null });
});

it('reads each response once while a conversation continues', async () => {
  await grow(0, 9);
  await read(9);
  await database.updateTable('responses').set({ content: '{' }).execute();
  expect(await read(9)).toMatchObject({ numbers: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] });
  chains.forget(idOf(10));
  expect(await read(9)).toMatchObject({ olderCount: 0 });
  chains.forget(idOf(4));
  await expect(read(9)).rejects.toThrow("can't be read");
});

it('does not show what another process has deleted', async () => {
  await grow(0, 9);
  await read(9);
  expect(await repository().delete(idOf(9), null)).toBe(true);
  expect(await read(9)).toBeDefined();
  deletionCount = 1;
  expect(await chains.forgetChanged()).toBe(1);
  expect(await read(9)).toBeUndefined();
});

it('keeps no chain that was read before the commit of a change', async () => {
  await grow(0, 0);
  let commit = (): void => {};
  const committing = new Promise<void>((resolve) => (commit = resolve));
  const transactions = serialTransactions(database);
  const responses = createResponseRepository({
    database,
    logger: createLogger('silent'),
    chains,
    transactions: {
      ...transactions,
      changeLong: async (work) => {
        await committing;
        return transactions.changeLong(work);
      },
    },
  });
  const changing = responses.setMessage(idOf(0), null, 'changed');
  await responses.chain(idOf(0), null);
  commit();
  expect(await changing).toBe(true);
  const chain = await responses.chain(idOf(0), null);
  expect(chain?.responses[0]?.turn.items.at(-1)).toEqual({ type: 'message', text: 'changed' });
});
