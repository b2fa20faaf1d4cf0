import { createHash } from 'node:crypto';
import { beforeEach, onTestFinished } from 'vitest';
import type { ConversationTurn } from '../../../src/store/turns/conversation-turn.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import type { ListedConversation } from '../../../src/store/conversations/conversation.ts';
import type { NewBlob, Store, StoredResponse } from '../../../src/store/store.ts';
import { conversationTurn } from './conversation-turn.ts';
import { testDatabase, type TestDatabase } from './test-database.ts';

export const responseIdOf = (name: string): string =>
  `resp_${createHash('sha384').update(name).digest('hex').slice(0, 48)}`;
export const conversationIdOf = (name: string): string =>
  responseIdOf(name).replace('resp_', 'conv_');

interface Spoken extends Partial<StoredResponse> {
  readonly input?: string;
  readonly output?: string;
  readonly changes?: Partial<ConversationTurn>;
}

/** A store for each test, with shortcuts to fill and read it. */
export function useConversations() {
  let database: TestDatabase | undefined;
  let opened: Store | undefined;
  let lines: Record<string, unknown>[] = [];
  let clock = Date.parse('2026-11-21T10:00:00.000Z');

  beforeEach(async () => {
    database = await testDatabase();
    lines = [];
    const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
    const store = await database.open(createLogger('warn', { write }));
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
    /** The store's log. */
    get lines() {
      return lines;
    },
    /** Stores the response `name`, or `name<parent`, one second after the previous one. */
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
    assertSound: async () => database?.assertSound(),
    /** Reads or changes the database without the repositories. */
    query: async (text: string): Promise<readonly Record<string, unknown>[]> =>
      (await database?.query(text)) ?? [],
  };
}
