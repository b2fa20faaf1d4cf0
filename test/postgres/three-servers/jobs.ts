import { setTimeout as delay } from 'node:timers/promises';
import { answerTo, promptOf } from '../../setup/engine/recalling-upstream.ts';
import type { ApiAnswer } from '../../setup/server/api.ts';
import { textOf } from './turns.ts';
import { sha256 } from '../../soak/writes/stored-things.ts';
import { ask, jsonRequest, type World } from './world.ts';

const batchLines = 8;
/** Longer than other servers take to continue the work of killed ones, several times. */
const endsWithinMs = 180_000;

/** Starts a response in the background and waits for its end, on any server. */
export async function answerInBackground(world: World): Promise<void> {
  const mark = world.nextMark();
  const request = { model: world.model, input: promptOf(mark), background: true };
  const created = await ask(world, 'background', '/v1/responses', jsonRequest(request));
  if (created === undefined) return;
  const { id } = created;
  // From now on, the response must exist.
  world.responses.set(id, undefined);
  const ended = await waitForEnd(world, `/v1/responses/${id}`, [
    'completed',
    'failed',
    'incomplete',
  ]);
  if (ended?.status !== 'completed') {
    if (ended !== undefined) world.observations.fail('background', ended.status);
    return;
  }
  const expected = answerTo([mark]);
  const text = textOf(ended.output);
  if (text !== expected) world.observations.violations.push(`${id} says ${text}, not ${expected}`);
  world.responses.set(id, expected);
}

/** Runs a batch. Its results must contain each line once. */
export async function runBatch(world: World, repeatable: Set<string>): Promise<void> {
  const { observations, model } = world;
  const marks = Array.from({ length: batchLines }, () => world.nextMark());
  for (const mark of marks) repeatable.add(mark);
  const lines = marks.map((mark) => {
    const body = { model, messages: [{ role: 'user', content: promptOf(mark) }] };
    return JSON.stringify({ custom_id: mark, method: 'POST', url: '/v1/chat/completions', body });
  });
  const file = await upload(world, lines.join('\n'));
  if (file === undefined) return;
  const request = {
    input_file_id: file,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  };
  const created = await ask(world, 'batch', '/v1/batches', jsonRequest(request));
  if (created === undefined) return;
  const ended = await waitForEnd(world, `/v1/batches/${created.id}`, ['completed', 'failed']);
  if (ended === undefined) return;
  const found: string[] = [];
  for (const id of [ended.output_file_id, ended.error_file_id]) {
    if (id === null) continue;
    const text = await download(world, id);
    for (const line of text.trim().split('\n')) {
      const { custom_id: mark, response } = JSON.parse(line);
      found.push(mark);
      const content = response?.body.choices?.[0]?.message.content;
      if (content !== answerTo([mark])) {
        observations.fail('line of a batch', response?.body.error?.code ?? 'no answer');
      }
    }
  }
  if (found.toSorted().join() !== marks.toSorted().join()) {
    observations.violations.push(
      `${created.id}, ${ended.status}, has ${found.join()}, not ${marks.join()}`,
    );
  }
}

/** Uploads a file and reads it again; deletes some files. */
export async function keepFile(world: World, random: () => number): Promise<void> {
  const line = `${JSON.stringify({ custom_id: world.nextMark() })}\n`;
  const text = line.repeat(1 + Math.floor(random() * 12_000));
  const id = await upload(world, text);
  if (id === undefined) return;
  const hash = sha256(text);
  world.files.set(id, hash);
  const found = await ask(world, 'download', `/v1/files/${id}/content`);
  if (found !== undefined && sha256(found) !== hash) {
    world.observations.violations.push(`${id} has other bytes`);
  }
  if (random() > 0.4) return;
  // If the request fails, the file may or may not exist.
  world.files.delete(id);
  await ask(world, 'deletion of a file', `/v1/files/${id}`, { method: 'DELETE' });
}

async function upload(world: World, text: string): Promise<string | undefined> {
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([text]), 'requests.jsonl');
  return (await ask(world, 'upload', '/v1/files', { method: 'POST', body: form }))?.id;
}

/** Reads a file until it succeeds. */
export async function download(world: World, id: string): Promise<string> {
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const found = await ask(world, 'download', `/v1/files/${id}/content`);
    if (found !== undefined) return found;
    await delay(1000);
  }
  world.observations.violations.push(`${id} cannot be read`);
  return '';
}

async function waitForEnd(
  world: World,
  path: string,
  states: readonly string[],
): Promise<ApiAnswer['body']> {
  const started = performance.now();
  let last: ApiAnswer['body'];
  while (performance.now() - started < endsWithinMs) {
    last = await ask(world, 'status of a job', path);
    if (states.includes(last?.status)) {
      world.observations.succeed(
        `end of ${path.startsWith('/v1/b') ? 'a batch' : 'a response'}`,
        performance.now() - started,
      );
      return last;
    }
    await delay(300);
  }
  world.observations.violations.push(`${path} is still ${JSON.stringify(last)?.slice(0, 300)}`);
  return undefined;
}
