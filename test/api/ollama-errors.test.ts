import { beforeAll, describe, expect, it } from 'vitest';
import { get, post, postRaw, toAnswer } from '../setup/server/api.ts';
import { withTokens } from '../setup/server/with-tokens.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { ollamaErrorCases } from './ollama-error-cases.ts';

const hearth = useHearth();
const model = 'starter-chat';
const hello = [{ role: 'user', content: 'Hello!' }];

// Loads the model first: an error that comes after half a second, as after a load, is a line of the stream.
beforeAll(() => post(hearth.url, '/api/v1/models/load', { model: 'hearth/starter-chat' }));

/** Status and text of an error in Ollama's format. */
async function failure(path: string, body: unknown) {
  const { status, body: answer } = await post(hearth.url, path, body);
  expect(Object.keys(answer)).toEqual(['error']);
  return { status, error: answer.error };
}

it.each(ollamaErrorCases)('%s', async (_, endpoint, body, status, message) => {
  const failed = await failure(`/api/${endpoint}`, body);
  expect(failed).toEqual({ status, error: expect.stringMatching(message) });
  // Errors before the first output are ordinary responses of streams, too.
  expect(await failure(`/api/${endpoint}`, { ...body, stream: true })).toEqual(failed);
});

describe('JSON without a declared type', () => {
  const body = JSON.stringify({ model, messages: hello, stream: false });
  const send = (headers: Readonly<Record<string, string>>, path = '/api/chat') =>
    postRaw(hearth.url, path, body, { headers }).then(toAnswer);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  it('is accepted from programs, as curl sends it', async () => {
    expect(await send(form)).toMatchObject({ status: 200, body: { done: true } });
  });

  it.each<[string, (url: string) => Readonly<Record<string, string>>]>([
    ['a page', (url) => ({ ...form, origin: url })],
    ['a browser', () => ({ ...form, 'sec-fetch-site': 'none' })],
    ['another type', () => ({ 'content-type': 'text/plain' })],
  ])('is refused from %s', async (_, headersFor) => {
    const { status, body: answer } = await send(headersFor(hearth.url));
    expect({ status, answer }).toEqual({
      status: 415,
      answer: { error: expect.stringContaining('must be application/json') },
    });
  });

  it('is refused by the other apis', async () => {
    expect((await send(form, '/api/v0/chat/completions')).status).toBe(415);
  });
});

describe('with tokens', () => {
  const guarded = useHearth({ flags: ['--auth-required'] });
  const bearer = async (...permissions: readonly ('chat' | 'models:read')[]) => {
    const { token } = await withTokens(guarded.home, (tokens) =>
      tokens.create({ name: permissions.join(), permissions: [...permissions] }),
    );
    return { headers: { authorization: `Bearer ${token}` } };
  };

  it('answers the version to all, and the rest to tokens with the permission', async () => {
    expect((await get(guarded.url, '/api/version')).status).toBe(200);
    const anonymous = await get(guarded.url, '/api/tags');
    expect(anonymous).toMatchObject({ status: 401, body: { error: expect.any(String) } });
    const reader = await bearer('models:read');
    expect((await get(guarded.url, '/api/tags', reader)).status).toBe(200);
    const refused = await post(guarded.url, '/api/chat', { model, messages: hello }, reader);
    expect(refused).toMatchObject({
      status: 403,
      body: { error: expect.stringContaining('chat') },
    });
    const chatter = await bearer('chat');
    const answer = await post(
      guarded.url,
      '/api/chat',
      { model, messages: hello, stream: false },
      chatter,
    );
    expect(answer.status).toBe(200);
  });
});

describe('paths beside the other apis', () => {
  // covers error-18
  it('have the errors of their own api', async () => {
    const v1 = await get(hearth.url, '/api/v1/nothing');
    expect(v1).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    const v0 = await get(hearth.url, '/api/v0/nothing');
    expect(v0).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    const method = await get(hearth.url, '/api/chat');
    expect(method).toMatchObject({ status: 405, body: { error: expect.stringContaining('POST') } });
  });

  // covers server-16
  it('are gone if the api is off', async () => {
    await hearth.stop();
    await hearth.restart({ environment: { HEARTH_SURFACES_OLLAMA: 'false' } });
    expect((await get(hearth.url, '/api/version')).status).toBe(404);
    expect((await get(hearth.url, '/api/v0/models')).status).toBe(200);
  });
});
