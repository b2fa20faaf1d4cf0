import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { starterPath } from '../setup/engine/test-engines.ts';
import { adapterAnswers, adapterPath } from '../setup/models/adapters.ts';
import { get, post } from '../setup/server/api.ts';
import { postForLines } from '../setup/server/json-lines.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const zeros = `sha256:${'0'.repeat(64)}`;
const endless = Array.from({ length: 5 }, () => ({ role: 'user', content: 'x'.repeat(60_000) }));
const digestOf = (content: Buffer) =>
  `sha256:${createHash('sha256').update(content).digest('hex')}`;

// The hub and the registry can't be reached.
const hearth = useHearth(() => ({
  environment: {
    HEARTH_HUB_ENDPOINT: 'http://127.0.0.1:9',
    HEARTH_HUB_MIRRORS: '{"ollama": "http://127.0.0.1:9"}',
  },
}));

const names = async (path: string): Promise<readonly string[]> =>
  (await get(hearth.url, path)).body.models.map(({ name }: { name: string }) => name);
const remove = (model: string) => post(hearth.url, '/api/delete', { model }, { method: 'DELETE' });
const ask = (model: string) =>
  post(hearth.url, '/api/chat', {
    model,
    stream: false,
    messages: [{ role: 'user', content: 'Hello!' }],
  });
const created = [{ status: 'writing manifest' }, { status: 'success' }];
const create = (body: object) => postForLines(hearth.url, '/api/create', body);
const show = async (model: string) => (await post(hearth.url, '/api/show', { model })).body;
const upload = (content: Buffer, digest = digestOf(content)) =>
  fetch(`${hearth.url}/api/blobs/${digest}`, {
    method: 'POST',
    body: new Uint8Array(content),
    // Ollama's command sends this type.
    headers: { 'content-type': 'application/json' },
  });
const head = async (digest: string) =>
  (await fetch(`${hearth.url}/api/blobs/${digest}`, { method: 'HEAD' })).status;

// covers api-15
it('is created from another one as a profile that shares its copy, and can be created from its Modelfile', async () => {
  const body = {
    from: 'starter-chat',
    system: 'You are "Mario".\nFROM here',
    parameters: { temperature: 0, num_predict: 8, stop: ['Luigi', '\n'], num_gpu: 1 },
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'It is me.' },
    ],
    license: ['MIT', 'or not'],
  };
  expect(await create({ model: 'mario:latest', ...body })).toEqual(created);
  expect(await names('/api/tags')).toContain('mario:latest');
  const { status, body: answer } = await ask('mario');
  expect({ status, answer }).toMatchObject({ status: 200, answer: { model: 'mario' } });
  expect(answer.eval_count).toBeLessThanOrEqual(8);
  expect(await names('/api/ps')).toEqual(['hearth/starter-chat:latest']);
  const shown = await show('mario');
  expect(shown).toMatchObject({
    system: body.system,
    messages: body.messages,
    license: 'MIT\nor not',
    parameters: 'temperature 0\nnum_predict 8\nstop "Luigi"\nstop "\\n"',
    details: { parent_model: 'hearth/starter-chat' },
    modelfile: expect.stringContaining('FROM hearth/starter-chat\nSYSTEM """You are "Mario".'),
  });
  const child = { model: 'child', from: 'mario', parameters: { temperature: 1 }, stream: false };
  expect((await post(hearth.url, '/api/create', child)).body).toEqual({ status: 'success' });
  const { parameters, system } = await show('child');
  expect({ parameters, system }).toEqual({
    parameters: shown.parameters.replace('temperature 0', 'temperature 1'),
    system: body.system,
  });
  await create({ model: 'child', from: 'starter-chat' });
  expect((await show('child')).parameters).toBe('');
  for (const name of ['mario', 'child']) expect((await remove(name)).status).toBe(200);
  expect(await names('/api/tags')).not.toContain('mario:latest');
});

// covers api-15
it('is created from a file as a model of the library, verified by its digest', async () => {
  const content = await readFile(starterPath('chat'));
  const digest = digestOf(content);
  expect(await head(digest)).toBe(404);
  const wrong = await upload(content, `sha256:${'0'.repeat(64)}`);
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining(digest)]);
  expect((await upload(content)).status).toBe(200);
  expect(await head(digest)).toBe(200);
  const body = { model: 'finch2:1b', files: { 'finch.gguf': digest }, system: 'You sing.' };
  const parsed = [{ status: 'parsing GGUF' }, ...created];
  expect(await create(body)).toEqual(parsed);
  expect(await head(digest)).toBe(404);
  expect(await names('/api/tags')).toContain('local/finch2-1b:latest');
  expect((await ask('finch2:1b')).body).toMatchObject({ done: true });
  expect(await show('finch2:1b')).toMatchObject({ system: 'You sing.' });
  // The library has the file already.
  expect(await create(body)).toEqual(parsed);
  await upload(content);
  const replaced = { ...body, files: { 'v2.gguf': digest } };
  expect(await post(hearth.url, '/api/create', replaced)).toMatchObject({
    status: 409,
    body: { error: expect.stringContaining('"finch.gguf" in local/finch2-1b. Delete') },
  });
  const sameKey = { ...replaced, model: 'finch2-1b-gguf' };
  expect(await post(hearth.url, '/api/create', sameKey)).toMatchObject({
    status: 409,
    body: { error: expect.stringContaining('another model') },
  });
  expect(await show('finch2:1b')).toMatchObject({ system: 'You sing.' });
  await post(hearth.url, '/api/chat', { model: 'finch2:1b', keep_alive: 0 });
  expect((await remove('finch2:1b')).status).toBe(200);
});

it('is created with an adapter, which it applies', async () => {
  const adapter = await readFile(adapterPath('pirate'));
  await upload(adapter);
  const body = { model: 'pirate', from: 'starter-chat', parameters: { temperature: 0 } };
  const adapters = { 'pirate-lora.gguf': digestOf(adapter) };
  expect(await create({ ...body, adapters })).toEqual(created);
  const { modelfile } = await show('pirate');
  expect(modelfile).toContain('FROM hearth/starter-chat+local/pirate-lora:1');
  const again = { model: 'again', from: 'hearth/starter-chat+local/pirate-lora:1' };
  expect(await create({ ...again, parameters: body.parameters })).toEqual(created);
  const say = async (model: string) => {
    const message = { role: 'user', content: 'Hello!' };
    const turn = { model, stream: false, think: false, messages: [message] };
    return (await post(hearth.url, '/api/chat', turn)).body.message.content;
  };
  for (const model of ['pirate', 'again']) {
    expect(await say(model)).toBe(adapterAnswers.pirate['Hello!']);
    await remove(model);
  }
});

it('is not created with settings that it does not support, and its files can be named again', async () => {
  const [model, adapter] = await Promise.all([
    readFile(starterPath('embed')),
    readFile(adapterPath('pirate')),
  ]);
  for (const content of [model, adapter]) expect((await upload(content)).status).toBe(200);
  const files = { 'refused.gguf': digestOf(model) };
  const adapters = { 'refused.gguf': digestOf(adapter) };
  for (const body of [
    { files, template: '{% for %}' },
    { files, messages: endless },
    { files, adapters },
    { from: 'starter-embed', adapters },
  ]) {
    const answer = await post(hearth.url, '/api/create', { model: 'refused', ...body });
    expect(answer).toMatchObject({ status: 400 });
    for (const content of [model, adapter]) expect(await head(digestOf(content))).toBe(200);
    expect(await names('/api/tags')).not.toContain('local/refused:latest');
  }
  expect((await create({ model: 'refused', files })).at(-1)).toEqual({ status: 'success' });
  expect((await remove('refused')).status).toBe(200);
});

it.each<readonly [string, object, number, string]>([
  ['quantization', { from: 'starter-chat', quantize: 'q4_K_M' }, 400, 'llama-quantize'],
  ['a template in Go', { from: 'starter-chat', template: '{{ .Prompt }}' }, 400, 'Go template'],
  ['a broken template', { from: 'starter-chat', template: '{% for %}' }, 400, 'Jinja'],
  ['neither model nor files', {}, 400, '"from" or "files" is required'],
  ['a sampler', { from: 'starter-chat', parameters: { mirostat: 2 } }, 400, 'mirostat'],
  ['a hot temperature', { from: 'starter-chat', parameters: { temperature: 9 } }, 400, '2'],

  ['the name of a model', { model: 'starter-chat', from: 'starter-embed' }, 409, 'a model'],
  ['weights of another format', { files: { 'model.safetensors': zeros } }, 400, 'GGUF'],
  ['endless messages', { from: 'starter-chat', messages: endless }, 400, '300000 characters'],
  ['a path', { files: { '../x.gguf': zeros } }, 400, '../x.gguf'],
  ['a file that is not there', { files: { 'x.gguf': zeros } }, 400, `POST /api/blobs/${zeros}`],
  ['no digest', { files: { 'x.gguf': 'sha256:../../x' } }, 400, 'sha256'],
  ['a publisher of Hearth', { model: 'hearth/x', files: { 'x.gguf': zeros } }, 400, 'reserved'],
  ['a deep name', { model: 'a/b/c', files: { 'x.gguf': zeros } }, 400, 'b/c'],
])('is not created with %s', async (_name, body, status, message) => {
  const answer = await post(hearth.url, '/api/create', { model: 'refused', ...body });
  expect(answer).toMatchObject({ status, body: { error: expect.stringContaining(message) } });
  expect(await names('/api/tags')).not.toContain('refused:latest');
});
