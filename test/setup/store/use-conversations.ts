import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { beforeEach, onTestFinished } from 'vitest';
import type { ConversationTurn } from '../../../src/conversation/conversation-turn.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { openSqlite } from '../../../src/sqlite.ts';
import type { ListedConversation } from '../../../src/store/conversations/conversation.ts';
import { createSqliteStore } from '../../../src/store/sqlite-store.ts';
import type { NewBlob, Store, StoredResponse } from '../../../src/store/store.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { conversationTurn } from './conversation-turn.ts';

export const responseIdOf = (name: string): string =>
  `resp_${createHash('sha384').update(name).digest('hex').slice(0, 48)}`;
export const conversationIdOf = (name: string): string =>
  responseIdOf(name).replace('resp_', 'conv_');

interface Spoken extends Partial<StoredResponse> {
  readonly input?: string;
  readonly output?: string;
  readonly changes?: Partial<ConversationTurn>;
}

/** A store for each test, with short ways to fill and to read it. */
export function useConversations() {
  let file = '';
  let opened: Store | undefined;
  let lines: Record<string, unknown>[] = [];
  let clock = Date.parse('2026-11-21T10:00:00.000Z');

  beforeEach(async () => {
    file = join(await temporaryFolder(), 'hearth.db');
    lines = [];
    const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
    const store = await createSqliteStore({ file, logger: createLogger('warn', { write }) });
    opened = store;
    onTestFinished(() => store.close());
  });

  const store = (): Store => {
    if (opened === undefined) throw new Error('The store is opened before each test');
    return opened;
  };

  const list = async (
    search?: string,
    ownerId: string | null = null,
  ): Promise<readonly ListedConversation[]> => {
    const options = { ownerId, limit: 100, ...(search === undefined ? {} : { search }) };
    return (await store().conversations.page(options)).conversations;
  };

  return {
    get store() {
      return store();
    },
    /** What the store logged. */
    get lines() {
      return lines;
    },
    /** Stores the response `name`, or `name<parent`, one second after the one before. */
    say: async (text: string, spoken: Spoken = {}, blobs: readonly NewBlob[] = []) => {
      const [name = '', parent] = text.split('<');
      const { input = `question ${name}`, output = `answer ${name}`, changes, ...fields } = spoken;
      clock += 1000;
      const response: StoredResponse = {
        id: responseIdOf(name),
        parentId: parent === undefined ? null : responseIdOf(parent),
        ownerId: null,
        createdAt: new Date(clock),
        modelKey: 'hearth/starter-chat',
        modelInstanceId: 'hearth/starter-chat',
        turn: conversationTurn({
          messages: [{ role: 'user', content: [{ type: 'text', text: input }] }],
          items: [{ type: 'message', text: output }],
          ...changes,
        }),
        ...fields,
      };
      await store().responses.insert(response, blobs);
      return response;
    },
    list,
    titles: async (search?: string, ownerId?: string | null) =>
      (await list(search, ownerId)).map(({ title }) => title),
    /** Reads or changes the database without the repositories. */
    query: (text: string): readonly Record<string, unknown>[] => {
      const database = openSqlite(file);
      try {
        return database.prepare(text).all() as Record<string, unknown>[];
      } finally {
        database.close();
      }
    },
  };
}
