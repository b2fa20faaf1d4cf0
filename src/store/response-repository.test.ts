import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { conversationTurn } from '../../test/setup/store/conversation-turn.ts';
import { testDatabase, type TestDatabase } from '../../test/setup/store/test-database.ts';
import { HearthError } from '../kernel/errors/errors.ts';
import { createLogger } from '../telemetry/logger.ts';
import type { NewBlob, Store, StoredResponse } from './store.ts';
import { seededRandom } from '../../test/setup/seeded-random.ts';

let database: TestDatabase;
let store: Store;
beforeEach(async () => {
  database = await testDatabase();
  store = await database.open(createLogger('silent'));
});
afterEach(async () => {
  await store.close();
});

const idOf = (name: string) =>
  `resp_${createHash('sha384').update(name).digest('hex').slice(0, 48)}`;

/** A response with the id `name` that continues `parent`. */
function response(name: string, parent?: string, fields: Partial<StoredResponse> = {}) {
  return {
    id: idOf(name),
    parentId: parent === undefined ? null : idOf(parent),
    ownerId: null,
    createdAt: new Date('2026-11-21T10:00:00.123Z'),
    modelKey: 'hearth/starter-chat',
    modelInstanceId: 'hearth/starter-chat:2',
    turn: conversationTurn({
      messages: [{ role: 'user', content: [{ type: 'text', text: name }] }],
      items: [{ type: 'message', text: `about ${name}` }],
    }),
    ...fields,
  } satisfies StoredResponse;
}

function image(text: string): NewBlob {
  const bytes = new Uint8Array(Buffer.from(text));
  return {
    sha256: createHash('sha256').update(bytes).digest('hex'),
    mediaType: 'image/png',
    bytes,
  };
}

const showing = ({ sha256, mediaType }: NewBlob) =>
  ({
    turn: conversationTurn({
      messages: [{ role: 'user', content: [{ type: 'image', sha256, mediaType }] }],
    }),
  }) satisfies Partial<StoredResponse>;

/** Inserts `name` or `name<parent`, in order. */
async function grow(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const [own = '', parent] = name.split('<');
    await store.responses.insert(response(own, parent), []);
  }
}

const chainOf = async (name: string, ownerId: string | null = null) =>
  (await store.responses.chain(idOf(name), ownerId))?.responses.map(({ turn }) => {
    const [part] = turn.messages[0]?.content ?? [];
    return part?.type === 'text' && part.text;
  });

/** The rows of the tables, read without the repositories. */
async function rowCounts() {
  await database.assertSound();
  const [counts = {}] = await database.query(
    'select (select count(*) from responses) as a, (select count(*) from response_blobs) as b, (select count(*) from blobs) as c',
  );
  return Object.values(counts).map(Number);
}

describe('insert and find', () => {
  it('returns the stored response, with any characters', async () => {
    const odd = 'null \u0000, lone \ud800, emoji 🔥, quote \' " \\ \n';
    const stored = response('a', undefined, {
      ownerId: 'token',
      turn: conversationTurn({
        systemPrompt: odd,
        messages: [{ role: 'user', content: [{ type: 'text', text: odd }] }],
        items: [
          {
            type: 'toolCall',
            round: 0,
            exposedName: odd,
            tool: odd,
            provider: { type: 'plugin', pluginId: odd },
            arguments: { [odd]: odd, nested: [null, 1, { a: [] }] },
            result: [{ type: odd, [odd]: [null, 1, { a: [] }] }],
            isError: true,
          },
        ],
      }),
    });
    await store.responses.insert(stored, []);
    expect(await store.responses.find(stored.id, 'token')).toEqual(stored);
  });

  it('returns a response only to its owner', async () => {
    await store.responses.insert(response('mine', undefined, { ownerId: 'me' }), []);
    for (const other of [null, 'you', '']) {
      expect(await store.responses.find(idOf('mine'), other)).toBeUndefined();
      expect(await store.responses.chain(idOf('mine'), other)).toBeUndefined();
      expect(await store.responses.delete(idOf('mine'), other)).toBe(false);
      expect((await store.responses.page({ ownerId: other, limit: 10 })).responses).toEqual([]);
      const child = response('child', 'mine', { ownerId: other });
      await expect(store.responses.insert(child, [])).rejects.toThrow('is not stored');
    }
    expect(await store.responses.find(idOf('mine'), 'me')).toBeDefined();
    const listed = await store.responses.page({ ownerId: 'me', limit: 10 });
    expect(listed.responses.map(({ id }) => id)).toEqual([idOf('mine')]);
  });

  it('lets everyone read and continue what was made without a token, and only list and delete their own', async () => {
    await store.responses.insert(response('free'), []);
    await store.responses.insert(response('mine', 'free', { ownerId: 'me' }), []);
    for (const reader of [null, 'me', 'you']) {
      expect(await store.responses.find(idOf('free'), reader)).toBeDefined();
      expect(await chainOf('free', reader)).toEqual(['free']);
    }
    expect(await chainOf('mine', 'me')).toEqual(['free', 'mine']);
    expect(await chainOf('mine', null)).toBeUndefined();
    expect(await store.responses.delete(idOf('free'), 'me')).toBe(false);
    const listed = await store.responses.page({ ownerId: 'me', limit: 10 });
    expect(listed.responses.map(({ id }) => id)).toEqual([idOf('mine')]);
    expect(await store.responses.delete(idOf('free'), null)).toBe(true);
    expect(await chainOf('mine', 'me')).toEqual(['free', 'mine']);
  });

  it('rejects a duplicate id and keeps the first response', async () => {
    await grow('a');
    const second = response('a', undefined, { modelKey: 'other' });
    await expect(store.responses.insert(second, [image('x')])).rejects.toThrow(/unique/i);
    expect(await store.responses.find(idOf('a'), null)).toEqual(response('a'));
    expect(await rowCounts()).toEqual([1, 0, 0]);
  });

  it.each([
    ['never was', 'nobody', null],
    ['is gone', 'gone', null],
    ['is a tombstone', 'tombstone', null],
    ['belongs to someone else', 'theirs', 'you'],
  ])('refuses a parent that %s', async (_case, parent, ownerId) => {
    await grow('gone', 'tombstone', 'child<tombstone');
    await store.responses.insert(response('theirs', undefined, { ownerId: 'them' }), []);
    await store.responses.delete(idOf('gone'), null);
    await store.responses.delete(idOf('tombstone'), null);
    await expect(
      store.responses.insert(response('b', parent, { ownerId }), [image('x')]),
    ).rejects.toMatchObject({ code: 'invalid_value', field: 'previousResponseId' });
    expect(await rowCounts()).toEqual([3, 0, 0]);
  });

  it('rejects a reference to a missing image', async () => {
    await expect(
      store.responses.insert(response('a', undefined, showing(image('x'))), []),
    ).rejects.toThrow(/foreign key/i);
    expect(await rowCounts()).toEqual([0, 0, 0]);
  });

  it('accepts many concurrent inserts', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `r${index}`);
    await Promise.all(names.map((name) => store.responses.insert(response(name), [image('x')])));
    expect(await rowCounts()).toEqual([50, 50, 1]);
  });
});

describe('chain', () => {
  it('returns the requested response and its ancestors, oldest first, without other branches', async () => {
    await grow('a', 'b<a', 'c<b', 'd<a');
    expect(await chainOf('c')).toEqual(['a', 'b', 'c']);
    expect(await chainOf('d')).toEqual(['a', 'd']);
    expect(await store.responses.chain(idOf('d'), null)).toEqual({
      responses: [response('a'), response('d', 'a')],
      olderCount: 0,
      olderSystemPrompt: null,
    });
    expect(await chainOf('nobody')).toBeUndefined();
  });

  it('returns a chain of any depth', async () => {
    await grow('0', ...Array.from({ length: 499 }, (_, index) => `${index + 1}<${index}`));
    expect(await chainOf('499')).toEqual(Array.from({ length: 500 }, (_, index) => `${index}`));
  });
});

describe('delete', () => {
  const remove = (name: string) => store.responses.delete(idOf(name), null);

  it('hides a response with descendants but keeps it for them', async () => {
    await grow('a', 'b<a', 'c<b');
    expect(await remove('b')).toBe(true);
    expect(await store.responses.find(idOf('b'), null)).toBeUndefined();
    expect(await chainOf('b')).toBeUndefined();
    expect(await remove('b')).toBe(false);
    expect((await store.responses.page({ ownerId: null, limit: 10 })).responses).toHaveLength(2);
    expect(await chainOf('c')).toEqual(['a', 'b', 'c']);
  });

  it('removes tombstones with their last descendant, up to the first that is still needed', async () => {
    await grow('a', 'b<a', 'c<b', 'd<c', 'e<b');
    await remove('b');
    await remove('c');
    expect((await rowCounts())[0]).toBe(5);
    await remove('d');
    expect((await rowCounts())[0]).toBe(3);
    expect(await chainOf('e')).toEqual(['a', 'b', 'e']);
    await remove('e');
    expect((await rowCounts())[0]).toBe(1);
    expect(await chainOf('a')).toEqual(['a']);
  });

  it('removes images without references', async () => {
    const [shared, own] = [image('shared'), image('own')];
    await store.responses.insert(response('a', undefined, showing(shared)), [shared]);
    await store.responses.insert(response('b', 'a', showing(own)), [own]);
    await store.responses.insert(response('c', undefined, showing(shared)), [shared]);
    expect(await store.blobs.find(own.sha256)).toEqual({
      ...own,
      bytes: Uint8Array.from(own.bytes),
    });
    await remove('a');
    expect(await store.blobs.find(shared.sha256)).toBeDefined();
    await remove('b');
    expect(await store.blobs.find(own.sha256)).toBeUndefined();
    expect(await store.blobs.find(shared.sha256)).toBeDefined();
    await remove('c');
    expect(await rowCounts()).toEqual([0, 0, 0]);
  });

  it('removes a thousand tombstones at once', async () => {
    const depth = 1000;
    await grow('0', ...Array.from({ length: depth }, (_, index) => `${index + 1}<${index}`));
    for (let index = 0; index < depth; index += 1) await remove(`${index}`);
    expect((await rowCounts())[0]).toBe(depth + 1);
    await remove(`${depth}`);
    expect((await rowCounts())[0]).toBe(0);
  });

  it('leaves nothing behind after deleting a random forest in random order', async () => {
    const random = seededRandom(7);
    const names = Array.from({ length: 60 }, (_, index) => `${index}`);
    for (const [index, name] of names.entries()) {
      const parent =
        random() < 0.15 || index === 0 ? undefined : names[Math.floor(random() * index)];
      const picture = image(`${Math.floor(random() * 20)}`);
      await store.responses.insert(response(name, parent, showing(picture)), [picture]);
    }
    const chains = new Map<string, unknown>();
    for (const name of names) chains.set(name, await store.responses.chain(idOf(name), null));
    const left = [...names];
    while (left.length > 0) {
      const [name = ''] = left.splice(Math.floor(random() * left.length), 1);
      await remove(name);
      for (const other of left) {
        expect(await store.responses.chain(idOf(other), null)).toEqual(chains.get(other));
      }
    }
    expect(await rowCounts()).toEqual([0, 0, 0]);
  });
});

describe('page', () => {
  const at = (name: string, second: number) =>
    response(name, undefined, { createdAt: new Date(second * 1000) });
  const pageAfter = (after?: string) =>
    store.responses.page({ ownerId: null, limit: 2, ...(after === undefined ? {} : { after }) });
  const idsOf = (names: string) => names.split('').map(idOf);

  it('lists the newest first, in pages that new responses do not shift', async () => {
    for (const [index, name] of ['a', 'b', 'c', 'd', 'e'].entries()) {
      await store.responses.insert(at(name, index), []);
    }
    const first = await pageAfter();
    expect(first.responses.map(({ id }) => id)).toEqual(idsOf('ed'));
    await store.responses.insert(at('f', 9), []);
    const second = await pageAfter(first.nextCursor ?? '');
    expect(second.responses.map(({ id }) => id)).toEqual(idsOf('cb'));
    const third = await pageAfter(second.nextCursor ?? '');
    expect(third.responses.map(({ id }) => id)).toEqual(idsOf('a'));
    expect(third.nextCursor).toBeNull();
  });

  it('includes all responses of the same millisecond', async () => {
    await grow('a', 'b', 'c', 'd', 'e', 'f', 'g');
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { responses, nextCursor } = await pageAfter(cursor);
      seen.push(...responses.map(({ id }) => id));
      cursor = nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen.toSorted()).toEqual(idsOf('abcdefg').toSorted());
  });

  it('has no cursor if the last page is full', async () => {
    await grow('a', 'b');
    expect((await pageAfter()).nextCursor).toBeNull();
    await store.responses.delete(idOf('a'), null);
    await store.responses.delete(idOf('b'), null);
    expect(await pageAfter()).toEqual({ responses: [], nextCursor: null });
  });

  it('continues after a tombstone, but not after an unknown id or a response of another owner', async () => {
    await store.responses.insert(at('a', 1), []);
    await store.responses.insert({ ...at('b', 2), parentId: idOf('a') }, []);
    await store.responses.insert({ ...at('c', 3), parentId: idOf('b') }, []);
    await store.responses.delete(idOf('b'), null);
    expect((await pageAfter(idOf('b'))).responses.map(({ id }) => id)).toEqual(idsOf('a'));
    const refusal = { code: 'invalid_value', field: 'after' };
    await expect(pageAfter(idOf('nobody'))).rejects.toMatchObject(refusal);
    await expect(
      store.responses.page({ ownerId: 'you', limit: 2, after: idOf('a') }),
    ).rejects.toMatchObject(refusal);
  });
});

describe('what callers are told', () => {
  it('names the missing parent in the words of the API', async () => {
    const child = response('child', 'nobody');
    const error: unknown = await store.responses
      .insert(child, [])
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HearthError);
    expect((error as HearthError).describe((name) => `<${name}>`)).toBe(
      `<previousResponseId>: "${idOf('nobody')}" is not stored; it never was, or it was deleted.`,
    );
  });

  it('names the cursor that is gone', async () => {
    await expect(
      store.responses.page({ ownerId: null, limit: 1, after: 'resp_gone' }),
    ).rejects.toThrow('after: "resp_gone" is not a stored response (any more).');
  });

  it('keeps the cause of a response that cannot be read', async () => {
    await grow('a');
    await database.query(`update responses set content = '{'`);
    const error: unknown = await store.responses
      .find(idOf('a'), null)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      message: `The stored response ${idOf('a')} can't be read`,
      cause: expect.any(Error),
    });
  });

  it.each([1, 3])('gets the last response of a page of %i as the cursor', async (limit) => {
    await grow('a', 'b', 'c', 'd');
    const { responses, nextCursor } = await store.responses.page({ ownerId: null, limit });
    expect(responses).toHaveLength(limit);
    expect(nextCursor).toBe(responses.at(-1)?.id);
  });
});

describe('approvals', () => {
  const request = (id: string) => ({
    type: 'approvalRequest' as const,
    round: 0,
    exposedName: 'buy',
    id,
    tool: 'buy',
    provider: { type: 'ephemeralMcp' as const, serverLabel: 'shop' },
    arguments: {},
  });

  it('are used once, all of a call or none, and by readers only', async () => {
    const turn = conversationTurn({ items: [request('a'), request('b')] });
    const { responses } = store;
    await responses.insert(response('waiting', undefined, { ownerId: 'tok_a', turn }), []);
    const use = (caller: string | null, ...ids: readonly string[]) =>
      responses.useApprovals(idOf('waiting'), caller, ids);
    // The chain is in memory from now on.
    await responses.chain(idOf('waiting'), 'tok_a');
    expect(await use('tok_b', 'a')).toBe(false);
    expect(await use('tok_a', 'a', 'c')).toBe(false);
    const both = await Promise.all([use('tok_a', 'a'), use('tok_a', 'a')]);
    expect(both.toSorted()).toEqual([false, true]);
    expect(await use('tok_a', 'a', 'b')).toBe(false);
    expect(await responses.useApprovals(idOf('gone'), 'tok_a', ['a'])).toBe(false);
    const stored = (await responses.chain(idOf('waiting'), 'tok_a'))?.responses[0];
    expect(stored?.turn.items).toEqual([{ ...request('a'), isUsed: true }, request('b')]);
  });
});
