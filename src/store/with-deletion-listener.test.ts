import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';
import { createLogger } from '../observability/logger.ts';
import { createSqliteStore } from './sqlite-store.ts';
import { withDeletionListener } from './with-deletion-listener.ts';

it('reports deletions of responses, conversations and tokens, and only those', async () => {
  const file = join(await temporaryFolder(), 'hearth.db');
  const database = await createSqliteStore({ file, logger: createLogger('silent') });
  let deletions = 0;
  const store = withDeletionListener(database, async () => {
    deletions += 1;
  });
  const date = new Date();
  const rateLimits = { requestsPerMinute: null, tokensPerMinute: null };
  const fields = { name: 'a', permissions: [], secretHash: '0', createdAt: date, rateLimits };
  await store.tokens.insert({ id: 'one', ...fields, expiresAt: null, lastUsedAt: null });
  expect(await store.tokens.delete('other')).toBe(false);
  expect(await store.responses.delete('resp_0', null)).toBe(false);
  expect(await store.conversations.delete('resp_0', null)).toBe(false);
  expect(deletions).toBe(0);
  expect(await store.tokens.delete('one')).toBe(true);
  expect(deletions).toBe(1);
  await store.close();
});
