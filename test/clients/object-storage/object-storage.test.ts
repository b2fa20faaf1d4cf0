import { expect, it } from 'vitest';
import { picture } from '../../setup/models/picture.ts';
import { runHearth } from '../../setup/cli/run-hearth.ts';
import { get, post } from '../../setup/server/api.ts';
import { useHearth } from '../../setup/server/use-hearth.ts';
import { useResource } from '../../setup/use-resource.ts';
import { startMotoServer } from '../../setup/object-storage/moto-server.ts';

const moto = useResource(startMotoServer);
const environment = () => ({
  AWS_ACCESS_KEY_ID: 'key',
  AWS_SECRET_ACCESS_KEY: 'secret',
  HEARTH_STORE_BLOBS_URL: `${moto.url}/images/hearth`,
});
const hearth = useHearth(async () => {
  const { status } = await fetch(`${moto.url}/images`, { method: 'PUT' });
  if (status !== 200) throw new Error(`moto answered ${status}`);
  return { environment: environment() };
});

/** Keys of the bucket. */
async function keys(): Promise<readonly string[]> {
  const listing = await (await fetch(`${moto.url}/images?list-type=2`)).text();
  return [...listing.matchAll(/<Key>([^<]+)<\/Key>/g)].map((match) => match[1] ?? '');
}

it('keeps the images of conversations in a bucket, across restarts and copies', async () => {
  const model = 'hearth/starter-vision';
  const image = { type: 'image', data_url: await picture('red') };
  const question = { type: 'text', content: 'What color is it?' };
  const first = await post(hearth.url, '/api/v1/chat', { model, input: [question, image] });
  expect(first.status, JSON.stringify(first.body)).toBe(200);
  const { response_id: id } = first.body;
  const [key = ''] = await keys();
  expect(key).toMatch(/^hearth\/[0-9a-f]{64}-[0-9a-f]{12}$/);

  await hearth.stop();
  await hearth.restart();
  const input = 'And what shape?';
  const second = await post(hearth.url, '/api/v1/chat', { model, input, previous_response_id: id });
  expect(second.status, JSON.stringify(second.body)).toBe(200);
  const shown = await fetch(`${hearth.url}/api/v1/blobs/${key.slice(7, 71)}`);
  expect(shown.headers.get('content-type')).toBe('image/png');

  await hearth.stop();
  const command = { home: hearth.home, environment: environment() };
  expect((await runHearth(['store', 'check'], command)).exitCode).toBe(0);
  const copy = await runHearth(['store', 'copy', `${hearth.home}/copy.db`], command);
  expect(copy.stderr).toContain('Copied and verified.');
  await hearth.restart({ environment: { HEARTH_STORE_URL: `${hearth.home}/copy.db` } });
  const third = await post(hearth.url, '/api/v1/chat', { model, input, previous_response_id: id });
  expect(third.status, JSON.stringify(third.body)).toBe(200);
});

it('answers 503 while the storage is away, and loses nothing', async () => {
  await hearth.stop();
  const away = { ...environment(), HEARTH_STORE_BLOBS_URL: 'http://127.0.0.1:9/images/hearth' };
  await hearth.restart({ environment: away });
  const model = 'hearth/starter-vision';
  const { body } = await get(hearth.url, '/api/v1/responses?limit=1');
  const previous_response_id = body.responses[0].response_id;
  const refused = await post(hearth.url, '/api/v1/chat', {
    model,
    input: 'Hi',
    previous_response_id,
  });
  expect(refused.status).toBe(503);
  expect(refused.body.error).toMatchObject({ code: 'store_unavailable' });
  await hearth.stop();
  await hearth.restart({ environment: environment() });
  const answer = await post(hearth.url, '/api/v1/chat', {
    model,
    input: 'Hi',
    previous_response_id,
  });
  expect(answer.status).toBe(200);
});
