import { createHash } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { HearthError } from '../../src/kernel/errors/errors.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import type { NewBlob, Store, StoredResponse } from '../../src/store/store.ts';
import { checkTables } from '../../src/store/tables/check-tables.ts';
import { openTables } from '../../src/store/tables/open-tables.ts';
import { seededRandom } from '../setup/seeded-random.ts';
import { conversationTurn } from '../setup/store/conversation-turn.ts';
import { postgresDatabase } from '../setup/store/test-database.ts';

const logger = createLogger('silent');

function image(index: number): NewBlob {
  const bytes = Buffer.from(`picture ${index}`);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { sha256, mediaType: 'image/png', bytes };
}

function response(index: number, parentId: string | null, pictures: readonly NewBlob[]) {
  return {
    id: `resp_${index.toString(16).padStart(48, '0')}`,
    parentId,
    ownerId: null,
    createdAt: new Date(index),
    modelKey: 'm',
    modelInstanceId: 'm',
    turn: conversationTurn({
      messages: [
        {
          role: 'user',
          content: pictures.map(({ sha256, mediaType }) => ({ type: 'image', sha256, mediaType })),
        },
      ],
    }),
  } satisfies StoredResponse;
}

it('keeps two processes from breaking what the other one does', async () => {
  const database = await postgresDatabase();
  const stores: readonly Store[] = [await database.open(logger), await database.open(logger)];
  for (const store of stores) onTestFinished(() => store.close());
  const random = seededRandom();
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)];
  const ids: string[] = [];
  const refusals: unknown[] = [];
  let count = 0;
  const step = async (store: Store): Promise<void> => {
    const id = pick(ids);
    const operation = random();
    if (operation < 0.6 || id === undefined) {
      count += 1;
      const pictures = [image(Math.floor(random() * 3)), image(3 + Math.floor(random() * 3))];
      const added = response(count, random() < 0.3 ? null : (id ?? null), pictures);
      // Its parent may be deleted at the same time.
      const isStored = await store.responses.insert(added, pictures).then(
        () => true,
        (error: unknown) => {
          refusals.push(error);
          return false;
        },
      );
      if (isStored) ids.push(added.id);
    } else if (operation < 0.9) await store.responses.delete(id, null);
    else {
      const conversation = await store.conversations.idOf(id);
      if (conversation !== undefined) await store.conversations.delete(conversation, null);
    }
  };
  for (let round = 0; round < 30; round += 1) {
    await Promise.all(Array.from({ length: 8 }, (_, index) => step(stores[index % 2] as Store)));
  }
  for (const error of refusals) {
    expect(error).toBeInstanceOf(HearthError);
    expect(error).toMatchObject({ code: 'invalid_value' });
  }
  const tables = await openTables(database.url, { logger }, new AbortController().signal);
  onTestFinished(() => tables.close());
  expect((await checkTables(tables, new AbortController().signal)).problems).toEqual([]);
  const orphans = [
    'select sha256 from blobs where sha256 not in (select sha256 from response_blobs)',
    `select id from responses where deleted_at is not null and id not in
      (select parent_id from responses where parent_id is not null)`,
    `select id from conversations where last_response_id not in
      (select id from responses where deleted_at is null)`,
  ];
  for (const text of orphans) expect(await database.query(text)).toEqual([]);
});
