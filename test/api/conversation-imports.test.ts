import { describe, expect, it } from 'vitest';
import {
  chatgptExport,
  claudeExport,
  lmStudioExport,
  openWebuiExport,
} from '../setup/conversations/app-exports.ts';
import { zipOfFiles } from '../setup/zip.ts';
import { get, post } from '../setup/server/api.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { withTokens } from '../setup/server/with-tokens.ts';

const hearth = useHearth();

type Headers = Readonly<Record<string, string>>;

async function upload(content: Buffer | object, query = '', headers: Headers = {}) {
  const response = await fetch(`${hearth.url}/api/v1/conversations/imports?${query}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/octet-stream' },
    body: new Uint8Array(Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content))),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json';
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : text,
  };
}
const newOwner = () =>
  withTokens(hearth.home, async (tokens): Promise<Headers> => {
    const { token } = await tokens.create({ name: 'owner', permissions: ['chat'] });
    return { authorization: `Bearer ${token}` };
  });
const listed = async (headers: Headers, query = '') =>
  (await get(hearth.url, `/api/v1/conversations?${query}`, { headers })).body.conversations;

it.each([
  ['chatgpt', chatgptExport, 'Tides', '2024-11-02T09:33:20.250Z', 2],
  ['claude', claudeExport, 'Sea poem', '2025-05-01T10:02:00.000Z', 2],
  ['open_webui', openWebuiExport, 'Colors', '2025-02-19T21:20:10.000Z', 2],
  ['lm_studio', lmStudioExport, 'Greeting', '2025-06-15T15:06:40.000Z', 3],
])('imports %s as JSON and as a zip, once', async (format, value, title, time, responses) => {
  const headers = await newOwner();
  const zip = zipOfFiles({
    'export/conversations.json': JSON.stringify(value),
    'export/users.json': JSON.stringify([{ uuid: 'user' }]),
    'image.png': 'PNG',
  });
  const preview = await upload(zip, 'dry_run=true', headers);
  expect(preview.body).toMatchObject({
    format,
    dry_run: true,
    conversation_count: 1,
    response_count: responses,
    present_count: 0,
    skipped: [],
    conversations: [{ title }],
  });
  expect(await listed(headers)).toEqual([]);
  const imported = await upload(zip, '', headers);
  expect(imported.body).toMatchObject({ conversation_count: 1, dry_run: false });
  const again = await upload(value, '', headers);
  expect(again.body).toMatchObject({ conversation_count: 0, present_count: 1, conversations: [] });
  const [conversation, ...others] = await listed(headers);
  expect(others).toEqual([]);
  expect(conversation).toMatchObject({ title, updated_at: time, response_count: responses });
  expect(conversation.conversation_id).toBe(imported.body.conversations[0].conversation_id);
});

it('imports exports of Hearth once, also beside the chats of others', async () => {
  const headers = await newOwner();
  const { body } = await upload(claudeExport, '', headers);
  const [{ conversation_id: id }] = body.conversations;
  const exported = await get(hearth.url, `/api/v1/conversations/${id}/export`, { headers });
  expect((await upload(exported.body, '', headers)).body).toMatchObject({
    format: 'hearth',
    conversation_count: 0,
    present_count: 1,
  });
  const other = await newOwner();
  expect((await upload(exported.body, '', other)).body).toMatchObject({ conversation_count: 1 });
  expect(await listed(other)).toHaveLength(1);
});

it('imports into a project, searches what it imported, and continues it', async () => {
  const headers = await newOwner();
  const project = await post(hearth.url, '/api/v1/projects', { name: 'Sea' }, { headers });
  const { project_id } = project.body;
  await upload(chatgptExport, `project_id=${project_id}`, headers);
  const [found] = await listed(headers, `search=tides&project_id=${project_id}`);
  expect(found).toMatchObject({ project_id, model: 'gpt-4o' });
  const body = {
    model: 'hearth/starter-chat',
    input: 'Why?',
    previous_response_id: found.last_response_id,
    max_output_tokens: 1,
  };
  const continued = await post(hearth.url, '/api/v1/chat', body, { headers });
  expect(continued.status).toBe(200);
  const responseOf = async (id: string) =>
    (await get(hearth.url, `/v1/responses/${id}`, { headers })).body;
  // The other app did not tell its tokens.
  expect(await responseOf(found.last_response_id)).not.toHaveProperty('usage');
  expect(await responseOf(continued.body.response_id)).toMatchObject({
    usage: { output_tokens: 1 },
  });
  expectError(await upload(chatgptExport, `project_id=${project_id}`), {
    code: 'project_not_found',
    param: 'project_id',
    message: 'no project',
  });
});

it('streams its progress', async () => {
  const chats = Array.from({ length: 50 }, (_, index) => ({
    ...claudeExport[0],
    chat_messages: [{ uuid: 'a', sender: 'human', text: `Question ${index} ${'a'.repeat(9000)}` }],
  }));
  const { body } = await upload(chats, 'stream=true', await newOwner());
  const events = [...String(body).matchAll(/^data: (.*)$/gm)].map(([, data]) =>
    JSON.parse(data ?? ''),
  );
  expect(events.length).toBeGreaterThan(2);
  expect(events[0]).toMatchObject({ type: 'import.progress' });
  expect(events.at(-1)).toMatchObject({ type: 'import.end', result: { conversation_count: 50 } });
});

describe('hostile files', () => {
  it.each([
    ['nothing', Buffer.alloc(0), 'The file is empty.'],
    ['text', Buffer.from('Hello'), 'not an export'],
    ['other JSON', Buffer.from('{"a":1}'), 'not an export'],
    ['many other values', Buffer.from(`[${'{},'.repeat(10_000)}{}]`), 'not an export'],
    ['JSON that breaks off', Buffer.from('[{"mapping":'), 'ends in the middle'],
    ['a value that is nested deeply', Buffer.from('['.repeat(100_000)), 'ends in the middle'],
    ['deep nesting', Buffer.from(`[${'['.repeat(9999)}${']'.repeat(9999)}]`), 'too deeply'],
    ['a broken zip', Buffer.from('PK\u0003\u0004broken'), "archive can't be read"],
  ])('are refused: %s', async (_, content, message) => {
    expectError(await upload(content), { code: 'invalid_value', message });
  });

  it('are refused where an archive unpacks to more than it declares, or than is allowed', async () => {
    const zip = zipOfFiles({ 'conversations.json': `[${' '.repeat(1_000_000)}]` });
    const end = zip.lastIndexOf(Buffer.from('PK\u0001\u0002'));
    const changed = Buffer.from(zip);
    changed.writeUInt32LE(10, end + 24);
    expectError(await upload(changed), { code: 'invalid_value', message: "archive can't be read" });
    const many = Object.fromEntries(['a', 'b', 'c'].map((name) => [`${name}.json`, '[]']));
    const bomb = zipOfFiles(many);
    let entry = bomb.indexOf(Buffer.from('PK\u0001\u0002'));
    for (; entry !== -1; entry = bomb.indexOf(Buffer.from('PK\u0001\u0002'), entry + 1)) {
      bomb.writeUInt32LE(2 ** 31 - 1, entry + 24);
    }
    expectError(await upload(bomb), { code: 'invalid_value', message: 'bytes of JSON' });
  });

  it('skip single chats with the reason', async () => {
    const headers = await newOwner();
    const [good] = chatgptExport;
    const circle = {
      title: 'Circle',
      mapping: {
        a: {
          parent: 'b',
          message: { author: { role: 'user' }, content: { content_type: 'text', parts: ['a'] } },
        },
        b: { parent: 'a', message: null },
      },
    };
    const huge = structuredClone(good);
    if (huge !== undefined) huge.title = 'Huge';
    const long = 'a'.repeat(5_000_000);
    Object.assign(huge?.mapping.ask.message ?? {}, {
      content: { content_type: 'text', parts: [long] },
    });
    const { body } = await upload(
      [circle, { mapping: {}, title: 7 }, huge, 'text', {}, good],
      '',
      headers,
    );
    expect(body).toMatchObject({
      conversation_count: 1,
      skipped_count: 4,
      skipped: [
        { title: 'Circle', reason: 'Its messages form a circle.' },
        { title: '', reason: 'It has no messages.' },
        { title: 'Huge', reason: expect.stringContaining('at most 4194304') },
        { title: '', reason: 'It is not a chat.' },
      ],
    });
  });
});
