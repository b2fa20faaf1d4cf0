import { beforeAll, expect, it } from 'vitest';
import { startPostgres } from '../setup/postgres/postgres-server.ts';
import { get, post, postRaw } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useResource } from '../setup/use-resource.ts';

const postgres = useResource(() => startPostgres());
beforeAll(async () => {
  await postgres.query('create database hearth');
});
const hearth = useHearth(() => ({
  environment: { HEARTH_STORE_URL: postgres.url('hearth') },
  flags: ['--log-level=error'],
}));
const request = {
  model: 'hearth/starter-chat',
  input: 'Count from 1 to 100.',
  temperature: 0,
  reasoning: 'off',
};

// covers error-19
it('answers 503 while the database is away, and continues without a restart', async () => {
  const { body } = await post(hearth.url, '/api/v1/chat', request);
  await postgres.stop('immediate');
  for (const path of ['/ready', '/api/v1/conversations', `/api/v1/responses/${body.response_id}`]) {
    const answer = await get(hearth.url, path);
    expect(answer).toMatchObject({
      status: 503,
      body: { error: { type: 'unavailable', code: 'store_unavailable' } },
    });
    expect(answer.headers.get('Retry-After')).toBe('5');
  }
  expect((await get(hearth.url, '/health')).status).toBe(200);
  expect((await get(hearth.url, '/api/v1/models')).status).toBe(200);
  await postgres.start();
  expect((await get(hearth.url, '/ready')).status).toBe(200);
  expect((await get(hearth.url, `/api/v1/responses/${body.response_id}`)).status).toBe(200);
});

it('stores the answer of a turn during which the database was away', async () => {
  const response = await postRaw(
    hearth.url,
    '/api/v1/chat',
    JSON.stringify({ ...request, stream: true }),
  );
  const reader = response.body?.getReader();
  await reader?.read();
  await postgres.stop('fast');
  let text = '';
  let isStarted = false;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) break;
    text += Buffer.from(value).toString('utf8');
    if (!isStarted) {
      isStarted = true;
      await postgres.start();
    }
  }
  expect(text).not.toContain('event: error');
  const [id = ''] = /resp_[0-9a-f]{48}/.exec(text.slice(text.indexOf('chat.end'))) ?? [];
  expect((await get(hearth.url, `/api/v1/responses/${id}`)).status).toBe(200);
});
