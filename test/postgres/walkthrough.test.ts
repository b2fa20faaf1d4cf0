import { join } from 'node:path';
import OpenAI from 'openai';
import { expect, it } from 'vitest';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { starterPath } from '../setup/engine/test-engines.ts';
import { startFakeHub } from '../setup/hub/fake-hub.ts';
import { storeEnvironment } from '../setup/postgres/store-environment.ts';
import { get, post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { useResource } from '../setup/use-resource.ts';

const hub = useResource(() =>
  startFakeHub({
    repositories: [
      { name: 'acme/Chat-GGUF', files: { 'chat-Q8_0.gguf': { filePath: starterPath('chat') } } },
    ],
  }),
);
const hearth = useHearth(() => ({ environment: { HEARTH_HUB_ENDPOINT: hub.url } }));
const model = 'hearth/starter-chat';
const calm = { model, temperature: 0, reasoning: 'off' } as const;

// covers server-21
it('chats, lists, searches and deletes conversations', async () => {
  const first = await post(hearth.url, '/api/v1/chat', {
    ...calm,
    input: '潮汐 are tides. Hello!',
  });
  expect(first.status).toBe(200);
  const second = await post(hearth.url, '/api/v1/chat', {
    ...calm,
    input: 'And now?',
    previous_response_id: first.body.response_id,
  });
  expect(second.status).toBe(200);
  const list = async (search = '') =>
    (await get(hearth.url, `/api/v1/conversations${search}`)).body.conversations;
  const [{ conversation_id: id }] = await list();
  for (const word of ['潮汐', '汐', 'IDES', 'now', 'd n']) {
    expect(await list(`?search=${encodeURIComponent(word)}`)).toMatchObject([
      { conversation_id: id },
    ]);
  }
  expect(await list('?search=absent')).toEqual([]);
  const tree = await get(hearth.url, `/api/v1/conversations/${id}`);
  expect(tree.body.responses).toHaveLength(2);
  await hearth.stop();
  await hearth.restart();
  expect(await list()).toMatchObject([{ conversation_id: id, response_count: 2 }]);
  const deleted = await fetch(`${hearth.url}/api/v1/conversations/${id}`, { method: 'DELETE' });
  expect(deleted.ok).toBe(true);
  expect(await list()).toEqual([]);
  expect((await get(hearth.url, `/api/v1/responses/${first.body.response_id}`)).status).toBe(404);
});

it('serves responses and conversations of OpenAI', async () => {
  const client = new OpenAI({ baseURL: `${hearth.url}/v1`, apiKey: 'x', maxRetries: 0 });
  const conversation = await client.conversations.create({ metadata: { project: 'sea' } });
  const response = await client.responses.create({
    model,
    temperature: 0,
    reasoning: { effort: 'none' },
    input: 'Who are you?',
    conversation: conversation.id,
  });
  expect((await client.responses.retrieve(response.id)).output).toEqual(response.output);
  const items = await client.conversations.items.list(conversation.id);
  expect(items.data.length).toBeGreaterThan(1);
  await client.conversations.delete(conversation.id);
  await expect(client.conversations.retrieve(conversation.id)).rejects.toMatchObject({
    status: 404,
  });
});

it('downloads a model', async () => {
  const { body } = await post(hearth.url, '/api/v1/models/download', { model: 'acme/Chat-GGUF' });
  await expect
    .poll(async () => (await get(hearth.url, `/api/v1/models/download/status/${body.job_id}`)).body)
    .toMatchObject({ status: 'completed' });
});

it('is checked, pruned and explained by commands', async () => {
  const { home } = hearth;
  const run = (...words: readonly string[]) => runHearth(words, { home });
  await post(hearth.url, '/api/v1/chat', { ...calm, input: 'Hello!' });
  const check = await run('store', 'check', '--json');
  expect(JSON.parse(check.stdout)).toMatchObject({ rows: { conversations: 1 }, problems: [] });
  expect(await run('store', 'migrate')).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('up to date'),
  });
  const created = await run('token', 'create', '--name', 'laptop', '--json');
  expect(created).toMatchObject({ exitCode: 0 });
  expect((await run('token', 'ls')).stdout).toContain('laptop');
  const pruned = await run('store', 'prune', '--max-bytes', '0', '--json');
  expect(JSON.parse(pruned.stdout)).toMatchObject({ deleted: 1 });
  for (const [command, instead] of [
    [['store', 'backup', join(home, 'x.db')], 'pg_dump'],
  ] as const) {
    expect(await run(...command)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(instead),
    });
  }
  const doctor = await run('doctor', '--json');
  expect(doctor.stdout).toMatch(/postgres:\/\/\*\*\*@.* responds \(PostgreSQL \d+\)/);
});

it('never shows the password', async () => {
  const home = await temporaryFolder();
  const environment = { HEARTH_STORE_URL: 'postgres://me:geheim@127.0.0.1:1/db?sslmode=disable' };
  const outputs: string[] = [];
  for (const words of [
    'config get store.url',
    'doctor',
    'token ls',
    'config ls',
    'config ls --json',
  ]) {
    const { stdout, stderr } = await runHearth(words.split(' '), { home, environment });
    outputs.push(stdout + stderr);
  }
  expect(outputs.join('')).not.toContain('geheim');
  for (const output of outputs.slice(0, 3)) {
    expect(output).toContain('postgres://***@127.0.0.1:1/db');
  }
});

it('loads the driver only for PostgreSQL', async () => {
  const home = await temporaryFolder();
  const environment = { NODE_DEBUG: 'module' };
  const loads = async (added: Readonly<Record<string, string>>) =>
    (await runHearth(['token', 'ls'], { home, environment: { ...environment, ...added } })).stderr;
  const { HEARTH_STORE_URL: url = '' } = await storeEnvironment(home);
  expect(await loads({ HEARTH_STORE_URL: url })).toMatch(/node_modules\/pg\/lib/);
  expect(await loads({ HEARTH_STORE_URL: join(home, 'hearth.db') })).not.toMatch(
    /node_modules\/pg\/lib/,
  );
});
