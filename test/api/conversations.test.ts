import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  conversationExportSchema,
  type ConversationExport,
} from '../../src/api/v1/conversations/conversation-export-schema.ts';
import {
  getConversation,
  listConversationResponses,
  listConversations,
} from '../../src/api/v1/conversations/conversation-schema.ts';
import { get, post, type ApiInit } from '../setup/server/api.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth();
/** A red square. */
const image =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAMAAAAoLQ9TAAAAA1BMVEXQMCDO2x7RAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADUlEQVQY02NgGAXIAAABEAAB7JfjegAAAABJRU5ErkJggg==';

const say = async (input: unknown, more: Record<string, unknown> = {}) => {
  const request = { model: 'hearth/starter-chat', temperature: 0, reasoning: 'off', input };
  const { status, body } = await post(hearth.url, '/api/v1/chat', { ...request, ...more });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.response_id as string;
};
const conversations = (path = '', init: ApiInit = {}) =>
  get(hearth.url, `/api/v1/conversations${path}`, init);
const idOf = (responseId: string) => responseId.replace('resp_', 'conv_');
const change = (id: string, body: unknown) =>
  conversations(`/${id}`, {
    method: 'PATCH',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });

let first: string;
let second: string;
let branch: string;
beforeAll(async () => {
  first = await say('My name is Zorbek.', { system_prompt: 'You are Bramble.' });
  second = await say('What is my name?', { previous_response_id: first });
  branch = await say('Who are you?', { previous_response_id: first });
});

describe('a conversation', () => {
  it('is listed, found by a part of a word, and has a tree', async () => {
    const { status, body } = await conversations('?search=orbe');
    expect(status).toBe(200);
    const page = listConversations.result.parse(body);
    expect(page.conversations).toMatchObject([
      {
        conversation_id: idOf(first),
        title: 'My name is Zorbek.',
        response_count: 3,
        last_response_id: branch,
        snippet: { match: 'orbe' },
      },
    ]);
    const tree = getConversation.result.parse((await conversations(`/${idOf(first)}`)).body);
    expect(tree.responses.map(({ response_id: id }) => id)).toEqual([first, second, branch]);
    expect(tree.responses[1]?.previous_response_id).toBe(first);
  });

  it('has the content of each branch', async () => {
    const path = `/${idOf(first)}/responses`;
    const last = listConversationResponses.result.parse((await conversations(path)).body);
    expect(last.responses.map(({ response_id: id }) => id)).toEqual([branch, first]);
    expect(last.responses[1]).toMatchObject({
      system_prompt: 'You are Bramble.',
      input: [{ type: 'text', content: 'My name is Zorbek.' }],
    });
    const other = await conversations(`${path}?leaf=${second}&limit=1`);
    expect(other.body).toMatchObject({
      responses: [{ response_id: second }],
      next_cursor: second,
    });
    const rest = await conversations(`${path}?leaf=${second}&after=${second}`);
    expect(rest.body).toMatchObject({ responses: [{ response_id: first }], next_cursor: null });
    const absent = `resp_${'0'.repeat(48)}`;
    expectError(await conversations(`${path}?leaf=${absent}`), {
      code: 'invalid_value',
      param: 'leaf',
      message: absent,
    });
  });

  it('is renamed and pinned', async () => {
    const later = await say('Hello!');
    const changed = await change(idOf(first), { title: ' Names ', pinned: true });
    expect(changed.body).toMatchObject({ title: 'Names', pinned: true });
    const { body } = await conversations('?limit=1');
    expect(body.conversations[0].conversation_id).toBe(idOf(first));
    const next = await conversations(`?limit=1&cursor=${body.next_cursor}`);
    expect(next.body.conversations[0].conversation_id).toBe(idOf(later));
    expectError(await change(idOf(first), { title: ' ' }), {
      code: 'invalid_value',
      param: 'title',
      message: 'title',
    });
  });

  it('is listed only among archived ones once it is archived', async () => {
    const archived = idOf(first);
    const isListed = async (query: string) => {
      const { body } = await conversations(`?limit=100${query}`);
      const ids = body.conversations.map(
        (each: { conversation_id: string }) => each.conversation_id,
      );
      return ids.includes(archived);
    };
    expect((await change(archived, { archived: true })).body).toMatchObject({ archived: true });
    expect(await isListed('')).toBe(false);
    expect(await isListed('&archived=true')).toBe(true);
    expect(await isListed('&archived=any')).toBe(true);
    expect((await change(archived, { archived: false })).body).toMatchObject({ archived: false });
    expect(await isListed('')).toBe(true);
    expect(await isListed('&archived=true')).toBe(false);
  });
});

describe('another beginning', () => {
  it('is a branch of the same conversation, also after an export and import', async () => {
    const start = await say('What is a tide?');
    const other = await say('What is a wave?', { conversation_id: idOf(start) });
    const tree = getConversation.result.parse((await conversations(`/${idOf(start)}`)).body);
    expect(tree).toMatchObject({ title: 'What is a tide?', last_response_id: other });
    expect(tree.responses).toMatchObject([
      { response_id: start, previous_response_id: null },
      { response_id: other, previous_response_id: null },
    ]);
    const file = (await conversations(`/${idOf(start)}/export`)).body;
    const imported = await post(hearth.url, '/api/v1/conversations/import', file);
    const copy = (await conversations(`/${imported.body.conversation_id}`)).body;
    expect(copy.responses).toMatchObject([
      { previous_response_id: null },
      { previous_response_id: null },
    ]);
  });

  it('needs a stored conversation, and no previous response', async () => {
    const request = { model: 'hearth/starter-chat', input: 'Hi' };
    const param = 'conversation_id';
    const refused = (more: object) =>
      post(hearth.url, '/api/v1/chat', { ...request, conversation_id: idOf(first), ...more });
    expectError(await refused({ conversation_id: `conv_${'0'.repeat(48)}` }), {
      code: 'conversation_not_found',
      param,
      message: '000',
    });
    expectError(await refused({ previous_response_id: first }), {
      code: 'invalid_value',
      param,
      message: 'previous_response_id',
    });
    expectError(await refused({ store: false }), {
      code: 'invalid_value',
      param,
      message: 'store',
    });
  });
});

describe('export and import', () => {
  it('writes a branch as Markdown', async () => {
    const response = await fetch(
      `${hearth.url}/api/v1/conversations/${idOf(first)}/export?format=markdown&leaf=${second}`,
    );
    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe(
      "attachment; filename*=UTF-8''Names.md",
    );
    const [answer, name] = await Promise.all(
      [first, second].map(async (id) => {
        const { body } = await get(hearth.url, `/api/v1/responses/${id}`);
        return body.output[0].content as string;
      }),
    );
    expect(await response.text()).toBe(
      [
        '# Names',
        '## System',
        'You are Bramble.',
        '## User',
        'My name is Zorbek.',
        '## hearth/starter-chat',
        answer,
        '## User',
        'What is my name?',
        '## hearth/starter-chat',
        `${name}\n`,
      ].join('\n\n'),
    );
  });
});

describe('images', () => {
  it('are served by their hash, and survive an export and an import', async () => {
    const input = [
      { type: 'text', content: 'Which colour is this?' },
      { type: 'image', data_url: image },
    ];
    const id = await say(input, { model: 'hearth/starter-vision' });
    const page = await conversations(`/${idOf(id)}/responses?images=reference`);
    const { sha256, media_type: type } = page.body.responses[0].input[1];
    const blob = await fetch(`${hearth.url}/api/v1/blobs/${sha256}`);
    expect(Object.fromEntries(blob.headers)).toMatchObject({
      'content-type': type,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    const bytes = Buffer.from(await blob.arrayBuffer());
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);

    const exported = conversationExportSchema.parse(
      (await conversations(`/${idOf(id)}/export`)).body,
    );
    const imported = await post(hearth.url, '/api/v1/conversations/import', exported);
    expect(imported.status, JSON.stringify(imported.body)).toBe(200);
    const copy = imported.body.conversation_id;
    expect(copy).not.toBe(idOf(id));
    const [before, after] = [id, imported.body.last_response_id].map(async (each: string) => {
      const { body } = await get(hearth.url, `/api/v1/responses/${each}`);
      return { ...body, response_id: '' };
    });
    expect(await after).toEqual(await before);
    const answer = await say('And now?', {
      model: 'hearth/starter-vision',
      previous_response_id: imported.body.last_response_id,
    });
    expect(answer).toMatch(/^resp_/);

    for (const each of [idOf(id), copy]) {
      expect((await conversations(`/${each}`, { method: 'DELETE' })).status).toBe(200);
      expect((await conversations(`/${each}`)).status).toBe(404);
    }
    expect((await get(hearth.url, `/api/v1/blobs/${sha256}`)).status).toBe(404);
  });
});

describe('an import', () => {
  const exported = async () =>
    conversationExportSchema.parse((await conversations(`/${idOf(first)}/export`)).body);
  const firstOf = ({ responses }: ConversationExport) => {
    const [response] = responses;
    if (response === undefined) throw new Error('The export is empty');
    return response;
  };
  type Changed = (value: ConversationExport) => unknown;

  it.each<[string, Changed, string]>([
    [
      'a parent that comes later',
      (value) => ({ ...value, responses: value.responses.toReversed() }),
      'responses[0].previous_response_id',
    ],
    [
      'an id twice',
      (value) => ({ ...value, responses: [firstOf(value), firstOf(value)] }),
      'responses[1].response_id',
    ],
    [
      'a turn of a newer version',
      (value) => ({ ...value, responses: [{ ...firstOf(value), turn: { formatVersion: 99 } }] }),
      'responses[0].turn',
    ],
    [
      'a turn without messages',
      (value) => ({ ...value, responses: [{ ...firstOf(value), turn: { formatVersion: 3 } }] }),
      'responses[0].turn',
    ],
    [
      'a missing image',
      (value) => {
        const content = [{ type: 'image', sha256: '0'.repeat(64), mediaType: 'image/png' }];
        const turn = { ...firstOf(value).turn, messages: [{ role: 'user', content }] };
        return { ...value, responses: [{ ...firstOf(value), turn }] };
      },
      'responses[0].turn',
    ],
    ['another format', (value) => ({ ...value, format: 'other' }), 'format'],
  ])('is refused with %s', async (_, changed, param) => {
    const refused = await post(
      hearth.url,
      '/api/v1/conversations/import',
      changed(await exported()),
    );
    expectError(refused, { code: 'invalid_value', param, message: '' });
  });

  it('is refused with an invalid image', async () => {
    const value = await exported();
    const html = `data:image/png;base64,${Buffer.from('<script>').toString('base64')}`;
    const hash = '0'.repeat(64);
    const refused = await post(hearth.url, '/api/v1/conversations/import', {
      ...value,
      images: { [hash]: html },
    });
    expectError(refused, { code: 'invalid_image', param: `images.${hash}`, message: 'image' });
  });
});
