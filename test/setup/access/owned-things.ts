import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { conversationExportSchema } from '../../../src/api/v1/conversations/conversation-export-schema.ts';
import { endlessModel } from '../models/endless-model.ts';
import { picture } from '../models/picture.ts';
import { get, post, type ApiInit } from '../server/api.ts';
import { openStream } from '../server/live-stream.ts';

/** Text in every owned thing, to find it in responses that must not contain it. */
export const secretText = 'zanzibar';

/** Ids of stored items that belong to one caller, by the names of path parameters. */
export type OwnedThing = Readonly<Record<string, string>>;
export type ThingKind =
  | 'tree'
  | 'file'
  | 'document'
  | 'vectorStore'
  | 'batch'
  | 'background'
  | 'choice'
  | 'call'
  | 'preset'
  | 'project'
  | 'prompt';

/** Creates a thing that belongs to the caller with these headers. */
export const makeThing: Readonly<
  Record<ThingKind, (url: string, headers: Readonly<Record<string, string>>) => Promise<OwnedThing>>
> = {
  tree: async (url, headers) => {
    const init = { headers };
    const { conversation_id: id, last_response_id: responseId } = await created(
      url,
      '/api/v1/conversations/import',
      await conversation(),
      init,
    );
    const items = await get(url, `/v1/conversations/${id}/items`, init);
    const path = `/api/v1/conversations/${id}/responses?images=reference`;
    const [, sha256] = /"sha256":"([0-9a-f]{64})"/.exec(
      JSON.stringify((await get(url, path, init)).body),
    ) ?? ['', ''];
    return {
      conversation_id: id,
      response_id: responseId,
      item_id: items.body.data[0].id,
      sha256: sha256 ?? '',
    };
  },
  document: (url, headers) => upload(url, headers, 'assistants', `${secretText}.md`, secretText),
  vectorStore: async (url, headers) => {
    const { file_id: fileId = '' } = await makeThing.document(url, headers);
    const { id } = await created(url, '/v1/vector_stores', { name: secretText }, { headers });
    const path = `/v1/vector_stores/${id}/file_batches`;
    const batch = await created(url, path, { file_ids: [fileId] }, { headers });
    return { vector_store_id: id, file_id: fileId, file_batch_id: batch.id };
  },
  file: async (url, headers) => {
    const request = { model: 'hearth/starter-chat', max_tokens: 1, messages: [hello] };
    const line = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body: request };
    return upload(url, headers, 'batch', `${secretText}.jsonl`, JSON.stringify(line));
  },
  batch: async (url, headers) => {
    const { file_id: fileId = '' } = await makeThing.file(url, headers);
    const body = {
      input_file_id: fileId,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
      metadata: { name: secretText },
    };
    return { batch_id: (await created(url, '/v1/batches', body, { headers })).id };
  },
  preset: async (url, headers) => ({
    preset: await record(url, 'presets', { system_prompt: secretText }, headers),
  }),
  project: async (url, headers) => {
    const body = { name: secretText, instructions: secretText };
    const { project_id: id } = await created(url, '/api/v1/projects', body, { headers });
    const file = { name: secretText, text: secretText };
    const { file_id: fileId } = await created(url, `/api/v1/projects/${id}/files`, file, {
      headers,
    });
    return { project_id: id, file_id: fileId };
  },
  prompt: async (url, headers) => ({
    prompt: await record(url, 'prompts', { text: secretText }, headers),
  }),
  background: async (url, headers) => {
    const body = { model: endlessModel, input: secretText, background: true };
    const stream = await openStream(url, '/api/v1/chat', body, { headers });
    const start = JSON.parse((await stream.until('response_id')).data);
    stream.disconnect();
    return { response_id: start.response_id };
  },
  choice: async (url, headers) => {
    const [label, tool] = [secretText, `${secretText}_${randomBytes(8).toString('hex')}`];
    const response = await fetch(`${url}/api/v1/tool-approvals/${label}/${tool}`, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ decision: 'always' }),
    });
    expect(response.status).toBe(200);
    return { label, tool };
  },
  call: async (url, headers) => {
    const body = {
      model: 'hearth/starter-chat',
      input: 'What is the weather in Lisbon?',
      integrations: [{ type: 'plugin', id: 'mcp/harbour', allowed_tools: ['get_weather'] }],
      temperature: 0,
      max_output_tokens: 80,
      tool_approvals: true,
      background: true,
    };
    const stream = await openStream(url, '/api/v1/chat', body, { headers });
    const event = JSON.parse((await stream.until('approval_required')).data);
    stream.disconnect();
    return { call_id: event.call_id };
  },
};

async function upload(
  url: string,
  headers: Readonly<Record<string, string>>,
  purpose: string,
  name: string,
  text: string,
): Promise<OwnedThing> {
  const form = new FormData();
  form.set('purpose', purpose);
  form.set('file', new Blob([text]), name);
  const response = await fetch(`${url}/v1/files`, { method: 'POST', body: form, headers });
  expect(response.status).toBe(200);
  return { file_id: ((await response.json()) as { id: string }).id };
}

const hello = { role: 'user', content: secretText };

/** Stores a preset or a prompt under a new name. */
async function record(
  url: string,
  path: string,
  content: object,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  const name = randomBytes(8).toString('hex');
  const init = { method: 'PUT', headers };
  await created(url, `/api/v1/${path}/${name}`, content, init);
  return name;
}

async function created(url: string, path: string, body: object, init: ApiInit) {
  const answer = await post(url, path, body, init);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

let color = 0;

/** An exported conversation with one turn and an image. */
async function conversation(): Promise<object> {
  const [example] = (conversationExportSchema.meta()?.examples ?? []) as object[];
  const exported = structuredClone(example) as {
    title: string;
    images: Record<string, string>;
    responses: { turn: { messages: { content: object[] }[] } }[];
  };
  const name = 'a'.repeat(64);
  exported.title = secretText;
  // Each picture has its own color, since equal images of two owners would be stored once.
  color += 1;
  exported.images = { [name]: await picture(`#${String(color).padStart(6, '0')}`) };
  exported.responses[0]?.turn.messages[0]?.content.push(
    { type: 'text', text: secretText },
    { type: 'image', sha256: name, mediaType: 'image/png' },
  );
  return exported;
}
