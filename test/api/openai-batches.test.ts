import OpenAI, {
  BadRequestError,
  ConflictError,
  NotFoundError,
  PermissionDeniedError,
  toFile,
} from 'openai';
import { expect, it } from 'vitest';
import type { Permission } from '../../src/kernel/permission.ts';
import { endlessModel, placeEndlessModel } from '../setup/models/endless-model.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { withTokens } from '../setup/server/with-tokens.ts';

let tokens: Readonly<Record<'all' | 'embedding' | 'other', string>>;
const hearth = useHearth(async (home) => {
  await placeEndlessModel(home);
  tokens = await withTokens(home, async (service) => {
    const make = async (...permissions: Permission[]) =>
      (await service.create({ name: 'test', permissions })).token;
    return {
      all: await make('chat', 'embeddings'),
      embedding: await make('embeddings'),
      other: await make('chat'),
    };
  });
  return { flags: ['--auth-required'] };
});

const model = 'hearth/starter-chat';
const chat = '/v1/chat/completions';
const patience = { timeout: 30_000 };
const connect = (token: keyof typeof tokens = 'all') =>
  new OpenAI({ baseURL: `${hearth.url}/v1`, apiKey: tokens[token], maxRetries: 0 });

const ask = (customId: string, body: object = {}) => ({
  custom_id: customId,
  method: 'POST',
  url: chat,
  body: {
    model,
    messages: [{ role: 'user', content: 'Hello!' }],
    temperature: 0,
    max_tokens: 8,
    ...body,
  },
});

async function upload(lines: readonly (object | string)[], client = connect()): Promise<string> {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  const file = await toFile(Buffer.from(text.join('\n')), 'requests.jsonl');
  return (await client.files.create({ file, purpose: 'batch' })).id;
}

async function start(lines: readonly (object | string)[], endpoint: typeof chat = chat) {
  return connect().batches.create({
    input_file_id: await upload(lines),
    endpoint,
    completion_window: '24h',
  });
}

/** Waits until the batch has the status; returns the batch. */
async function reached(id: string, status: OpenAI.Batch['status'], completed = 0) {
  let batch = await connect().batches.retrieve(id);
  await expect
    .poll(async () => {
      batch = await connect().batches.retrieve(id);
      return [batch.status, (batch.request_counts?.completed ?? 0) >= completed];
    }, patience)
    .toEqual([status, true]);
  return batch;
}

async function linesOf(fileId: string | undefined) {
  const text = await (await connect().files.content(fileId ?? '')).text();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

// covers api-4
it('runs the requests of a file, whose answers and errors are files', async () => {
  const { id } = await start([
    ask('first'),
    ask('unknown', { model: 'hearth/starter-chta' }),
    ask('hot', { temperature: 'hot' }),
    ask('last', { n: 2 }),
  ]);
  const batch = await reached(id, 'completed');
  expect(batch.request_counts).toEqual({ total: 4, completed: 2, failed: 2 });
  expect(batch.completed_at).toBeGreaterThanOrEqual(batch.created_at);
  const answers = await linesOf(batch.output_file_id);
  const alone = await connect().chat.completions.create(ask('first').body as never);
  expect(answers).toMatchObject([
    { custom_id: 'first', response: { status_code: 200 }, error: null },
    { custom_id: 'last', response: { body: { object: 'chat.completion' } } },
  ]);
  expect(answers[0].response.body.choices).toEqual(alone.choices);
  expect(answers[1].response.body.choices).toHaveLength(2);
  expect(await linesOf(batch.error_file_id)).toMatchObject([
    {
      custom_id: 'unknown',
      response: { status_code: 404, body: { error: { code: 'model_not_found' } } },
    },
    { custom_id: 'hot', response: { status_code: 400, body: { error: { param: 'temperature' } } } },
  ]);
  const listed = await connect().batches.list({ limit: 1 });
  expect(listed.data).toEqual([batch]);
});

it('refuses a file with broken lines, which it names', async () => {
  const { id } = await start([ask('a'), '{"custom_id":', ask('a'), ask('b', { stream: true })]);
  const { errors, request_counts } = await reached(id, 'failed');
  expect(errors?.data?.map(({ line, code }) => [line, code])).toEqual([
    [2, 'invalid_json_line'],
    [3, 'duplicate_custom_id'],
    [4, 'invalid_request'],
  ]);
  expect(request_counts?.total).toBe(0);
});

it('continues after the server was killed, and keeps its answers when it is cancelled', async () => {
  const endless = ask('endless', { model: endlessModel, max_tokens: undefined });
  const { id } = await start([ask('a'), endless, ask('b')]);
  await reached(id, 'in_progress', 2);
  await hearth.kill();
  await hearth.restart();
  const resumed = await reached(id, 'in_progress', 2);
  expect(resumed.request_counts).toEqual({ total: 3, completed: 2, failed: 0 });
  await expect(connect().files.delete(resumed.input_file_id)).rejects.toBeInstanceOf(ConflictError);
  // A client's request need not wait for a running request of the batch.
  const { choices } = await connect().chat.completions.create(ask('c').body as never);
  expect(choices).toHaveLength(1);
  expect((await connect().batches.cancel(id)).status).toBe('cancelling');
  const batch = await reached(id, 'cancelled');
  const answers = await linesOf(batch.output_file_id);
  expect(answers.map((line) => line.custom_id)).toEqual(['a', 'b']);
  expect(await linesOf(batch.error_file_id)).toMatchObject([
    { custom_id: 'endless', response: null, error: { code: 'batch_cancelled' } },
  ]);
  await expect(connect().batches.cancel('batch_x')).rejects.toBeInstanceOf(NotFoundError);
  await connect().files.delete(resumed.input_file_id);
});

it('embeds, with the permission for it alone', async () => {
  const client = connect('embedding');
  const line = {
    custom_id: 'a',
    method: 'POST',
    url: '/v1/embeddings',
    body: { model: 'hearth/starter-embed', input: 'One text' },
  };
  const file = { input_file_id: await upload([line], client), completion_window: '24h' } as const;
  const chatting = client.batches.create({ ...file, endpoint: chat });
  await expect(chatting).rejects.toBeInstanceOf(PermissionDeniedError);
  const { id } = await client.batches.create({ ...file, endpoint: '/v1/embeddings' });
  await expect
    .poll(async () => (await client.batches.retrieve(id)).request_counts?.completed, patience)
    .toBe(1);
});

it('has files of its token only, in pages, within the limits', async () => {
  const client = connect('other');
  const ids = [await upload([ask('a')], client), await upload([ask('b')], client)];
  const names: string[] = [];
  for await (const { id } of client.files.list({ limit: 1, order: 'asc' })) names.push(id);
  expect(names).toEqual(ids);
  const [first = ''] = ids;
  expect(await client.files.retrieve(first)).toMatchObject({
    object: 'file',
    filename: 'requests.jsonl',
    purpose: 'batch',
    bytes: JSON.stringify(ask('a')).length,
  });
  await expect(connect().files.retrieve(first)).rejects.toBeInstanceOf(NotFoundError);
  await expect(connect().files.content(first)).rejects.toBeInstanceOf(NotFoundError);
  const foreign = { input_file_id: first, endpoint: chat, completion_window: '24h' } as const;
  await expect(connect().batches.create(foreign)).rejects.toBeInstanceOf(NotFoundError);
  expect(await client.files.delete(first)).toEqual({ id: first, object: 'file', deleted: true });
  await expect(client.files.retrieve(first)).rejects.toBeInstanceOf(NotFoundError);

  const large = client.files.create({
    file: await toFile(Buffer.alloc(100 * 1024 * 1024 + 1, 'x'), 'x.jsonl'),
    purpose: 'batch',
  });
  await expect(large).rejects.toMatchObject({ status: 413, param: 'file' });
  const image = await toFile(Buffer.from('x'), 'x.png');
  const vision = client.files.create({ file: image, purpose: 'vision' });
  await expect(vision).rejects.toBeInstanceOf(BadRequestError);
  await expect(vision).rejects.toMatchObject({ param: 'purpose' });
  const expiring = client.files.create({
    file: await toFile(Buffer.from('x'), 'x.jsonl'),
    purpose: 'batch',
    expires_after: { anchor: 'created_at', seconds: 3600 },
  });
  await expect(expiring).rejects.toMatchObject({ status: 400, param: 'expires_after' });
  const left = await client.files.list();
  expect(left.data).toHaveLength(1);
});
