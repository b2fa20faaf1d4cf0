import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { conversationTurn } from '../../test/setup/store/conversation-turn.ts';
import { toOlderSchema } from '../../test/setup/store/to-older-schema.ts';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';
import { encodeTurn } from './turns/conversation-turn.ts';
import { createLogger } from '../telemetry/logger.ts';
import { openSqlite } from '../platform/sqlite.ts';
import { createSqliteStore } from './sqlite-store.ts';
import type { Store } from './store.ts';

const id = `resp_${'a'.repeat(48)}`;
const bytes = Buffer.from('the bytes of a picture');
const sha256 = createHash('sha256').update(bytes).digest('hex');
const inline = { type: 'image', data: bytes.toString('base64'), mimeType: 'image/png' };
const broken = { type: 'image', data: 'not base64!', mimeType: 'image/png' };
const turn = conversationTurn({
  items: [
    {
      type: 'toolCall',
      round: 0,
      exposedName: 'look',
      tool: 'look',
      provider: { type: 'plugin', pluginId: 'mcp/eye' },
      arguments: {},
      result: [{ type: 'text', text: 'Here:' }, inline, broken, inline],
      isError: false,
    },
  ],
});
const result = [
  { type: 'text', text: 'Here:' },
  { type: 'image', sha256, mimeType: 'image/png' },
  broken,
  { type: 'image', sha256, mimeType: 'image/png' },
];

const open = (file: string) => createSqliteStore({ file, logger: createLogger('silent') });

async function expectDetached(store: Store): Promise<void> {
  const found = await store.responses.find(id, null);
  expect(found?.turn.items).toEqual([expect.objectContaining({ result })]);
  const blob = await store.blobs.find(sha256);
  expect(blob && Buffer.from(blob.bytes)).toEqual(bytes);
  expect(blob?.mediaType).toBe('image/png');
  await store.responses.delete(id, null);
  expect(await store.blobs.find(sha256)).toBeUndefined();
}

it('stores the images of tools as blobs, which go with their response', async () => {
  const store = await open(join(await temporaryFolder(), 'hearth.db'));
  onTestFinished(() => store.close());
  await store.responses.insert(
    {
      id,
      parentId: null,
      ownerId: null,
      createdAt: new Date(),
      modelKey: 'a',
      modelInstanceId: 'a',
      turn,
    },
    [],
  );
  await expectDetached(store);
});

it('moves the images of an older database into blobs', async () => {
  const file = join(await temporaryFolder(), 'hearth.db');
  await (await open(file)).close();
  const database = openSqlite(file, {});
  const content = encodeTurn(turn).replace('"formatVersion":4', '"formatVersion":2');
  database
    .prepare(
      `insert into responses (id, created_at, model_key, model_instance_id, content)
       values (?, '2026-11-21T10:00:00.123Z', 'a', 'a', ?)`,
    )
    .run(id, content);
  database.close();
  toOlderSchema(file, 3);

  const store = await open(file);
  onTestFinished(() => store.close());
  await expectDetached(store);
});
