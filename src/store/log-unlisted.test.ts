import { expect, it } from 'vitest';
import { useConversations } from '../../test/setup/store/use-conversations.ts';
import { createLogger } from '../telemetry/logger.ts';
import { logUnlisted } from './maintenance.ts';

const conversations = useConversations();

it('logs the responses without a token', async () => {
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(line) });
  const { owners } = conversations.store;
  await conversations.say('a', { ownerId: '0123456789' });
  await logUnlisted(owners, logger);
  expect(lines).toEqual([]);
  await conversations.say('b');
  await logUnlisted(owners, logger);
  expect(lines).toEqual([expect.stringContaining('"responseCount":1')]);
});
