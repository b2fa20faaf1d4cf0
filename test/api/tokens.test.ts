import { describe, expect, it } from 'vitest';
import { conversationExportSchema } from '../../src/api/v1/conversations/conversation-export-schema.ts';
import { get, post, type ApiAnswer } from '../setup/server/api.ts';
import { endlessModel, placeEndlessModel } from '../setup/models/endless-model.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { followStream, openStream } from '../setup/server/live-stream.ts';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

let admin: string;
/** Tokens that were revoked while in use; their responses may be stored later. A repeated test adds another token. */
const watcherIds = new Set<string | null>();

const hearth = useHearth(async (home) => {
  // The first token with `admin` is created on the machine itself.
  const commandLine = 'token create --name owner --permissions admin --json';
  const made = await runHearth(commandLine.split(' '), { home });
  admin = JSON.parse(made.stdout).token;
  await placeEndlessModel(home);
});

const orphansOf = ({ body }: ApiAnswer): unknown =>
  body.orphans.filter(
    ({ token_id: id }: { readonly token_id: string | null }) => !watcherIds.has(id),
  );
const bearing = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const tokensPath = '/api/v1/tokens';
const create = (body: object, token = admin): Promise<ApiAnswer> =>
  post(hearth.url, tokensPath, body, bearing(token));

// covers auth-3, auth-8, auth-9
it('creates a token that works, lists it without its secret, and revokes it at once', async () => {
  const made = await create({ name: 'laptop', permissions: ['models:read', 'models:read'] });
  expect(made.status).toBe(200);
  expect(made.body).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f]{10}$/),
    name: 'laptop',
    permissions: ['models:read'],
    expires_at: null,
    token: expect.stringMatching(/^hearth-[0-9a-f]{10}-[0-9a-f]{48}$/),
  });
  const { id, token } = made.body;
  const use = () => get(hearth.url, '/api/v1/models', bearing(token));
  expect((await use()).status).toBe(200);

  const listed = await get(hearth.url, tokensPath, bearing(admin));
  expect(listed.body.tokens).toContainEqual(
    expect.objectContaining({ id, last_used_at: expect.stringMatching(/Z$/) }),
  );
  expect(JSON.stringify(listed.body)).not.toContain(token.slice(-48));

  const revoke = () =>
    get(hearth.url, `${tokensPath}/${id}`, { ...bearing(admin), method: 'DELETE' });
  expect((await revoke()).body).toEqual({ id, revoked: true });
  expectError(await use(), { code: 'invalid_api_key', message: /unknown or revoked/ });
  expectError(await revoke(), { code: 'token_not_found', message: id, param: 'id' });
});

// covers auth-9
it('ends the event streams of a token within two seconds after it is revoked', async () => {
  const made = await create({ name: 'watcher', permissions: ['models:read', 'chat'] });
  const { id, token } = made.body;
  watcherIds.add(id);
  const streams = [
    await followStream(hearth.url, '/api/v1/events', bearing(token)),
    await followStream(hearth.url, '/api/v1/events?topics=models', bearing(token)),
  ];
  const kept = await followStream(hearth.url, '/api/v1/events', bearing(admin));
  // A fast machine would fill a smaller context before the token is revoked.
  const request = {
    model: endlessModel,
    input: 'Once',
    background: true,
    context_length: 16_384,
  };
  const answer = await openStream(hearth.url, '/api/v1/chat', request, bearing(token));
  const start = await answer.until('response_id');
  const { response_id: responseId } = JSON.parse(start.data);
  const path = `/api/v1/responses/${responseId}/events`;
  const response = await followStream(hearth.url, path, bearing(token));
  await response.until('delta');

  // Revokes the token in another process, so the server is not notified.
  await runHearth(['token', 'rm', id], { home: hearth.home });
  // The streams would not end otherwise.
  for (const stream of streams) {
    expect((await stream.rest())[0]?.event).toBe('events.snapshot');
  }
  const last = (await response.rest()).at(-1);
  expect(last?.event).toBe('error');
  expect(JSON.parse(last?.data ?? '').error).toMatchObject({ code: 'invalid_api_key' });
  await post(hearth.url, '/api/v1/models/load', { model: 'hearth/starter-embed' }, bearing(admin));
  await kept.until('instance.ready');
  kept.disconnect();
  answer.disconnect();
});

// covers auth-9
it('ends the answers of a token within two seconds after it is revoked', async () => {
  const { id, token } = (await create({ name: 'writer', permissions: ['chat'] })).body;
  watcherIds.add(id);
  const messages = [{ role: 'user', content: 'Once' }];
  const open = (path: string, body: object) =>
    openStream(hearth.url, path, { model: endlessModel, ...body }, bearing(token));
  const stored = await open('/api/v1/chat', { input: 'Once', context_length: 16_384 });
  await stored.until('message.delta');
  // These requests generate, or wait for a slot.
  const others = [
    await open('/api/v0/chat/completions', { messages }),
    await open('/v1/chat/completions', { messages }),
    await open('/v1/completions', { prompt: 'Once', max_tokens: 16_000 }),
    await open('/v1/responses', { input: 'Once', store: false }),
    await open('/v1/messages', { messages, max_tokens: 16_000 }),
  ];
  const request = { model: endlessModel, messages };
  const whole = post(hearth.url, '/api/v0/chat/completions', request, bearing(token));

  await runHearth(['token', 'rm', id], { home: hearth.home });
  const message = 'The token was revoked or has expired.';
  for (const stream of others) {
    const end = (await stream.rest()).slice(-2);
    expect(JSON.stringify(end)).toContain(message);
  }
  expectError(await whole, { code: 'invalid_api_key', message, isV0: true });
  const [error, end] = (await stored.rest()).slice(-2);
  expect([error?.event, end?.event]).toEqual(['error', 'chat.end']);
  expect(error?.data).toContain(message);
  // The unfinished response is stored.
  const { result } = JSON.parse(end?.data ?? '');
  expect(result).toMatchObject({
    response_id: expect.stringMatching(/^resp_/),
    output: expect.arrayContaining([{ type: 'message', content: expect.any(String) }]),
  });
});

it('creates a token that expires', async () => {
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const made = await create({ name: 'guest', permissions: ['chat'], expires_at: expiresAt });
  expect(made.body.expires_at).toBe(expiresAt);
});

it('counts the stored responses of a token, and moves or deletes them', async () => {
  const [example] = (conversationExportSchema.meta()?.examples ?? []) as object[];
  const importPath = '/api/v1/conversations/import';
  const makeOwner = async (): Promise<string> => {
    const { id, token } = (await create({ name: 'owner', permissions: ['chat'] })).body;
    expect((await post(hearth.url, importPath, example ?? {}, bearing(token))).status).toBe(200);
    return id;
  };
  const counts = { response_count: 1, conversation_count: 1 };
  const [first, second, third] = [await makeOwner(), await makeOwner(), await makeOwner()];
  await post(hearth.url, importPath, example ?? {});
  const listed = await get(hearth.url, tokensPath, bearing(admin));
  expect(listed.body.tokens).toContainEqual(expect.objectContaining({ id: first, ...counts }));
  expect(orphansOf(listed)).toEqual([{ token_id: null, ...counts }]);

  const revoke = (id: string, query: string): Promise<ApiAnswer> =>
    get(hearth.url, `${tokensPath}/${id}?${query}`, { ...bearing(admin), method: 'DELETE' });
  expect((await revoke(first, `move_to=${second}`)).body).toEqual({
    id: first,
    revoked: true,
    responses: { action: 'moved', ...counts },
  });
  const adopt = (id: string, from: string | null): Promise<ApiAnswer> =>
    post(hearth.url, `${tokensPath}/${id}/responses`, { from }, bearing(admin));
  expect((await adopt(second, null)).body).toEqual({ id: second, from: null, ...counts });
  const three = { response_count: 3, conversation_count: 3 };
  expect((await revoke(second, 'delete_responses=true')).body.responses).toEqual({
    action: 'deleted',
    ...three,
  });
  expect((await revoke(third, '')).body.responses).toEqual({ action: 'kept', ...counts });

  const after = await get(hearth.url, tokensPath, bearing(admin));
  expect(orphansOf(after)).toEqual([{ token_id: third, ...counts }]);
  const missing = { code: 'token_not_found', message: 'nope' } as const;
  expectError(await adopt('nope', null), { ...missing, param: 'id' });
  const { id } = (await create({ name: 'last', permissions: ['chat'] })).body;
  expectError(await revoke(id, 'move_to=nope'), { ...missing, param: 'move_to' });
  expectError(await revoke(id, `move_to=${id}&delete_responses=true`), {
    code: 'invalid_value',
    message: 'delete_responses',
    param: 'move_to',
  });
});

it('changes a token by the API and by the command line, for the next request', async () => {
  const bounds = { requests_per_day: 1000, models: ['hearth/starter-chat'] };
  const made = await create({ name: 'laptop', permissions: ['models:read'], ...bounds });
  const { id, token } = made.body;
  const keys = async () => {
    const { body } = await get(hearth.url, '/api/v1/models', bearing(token));
    return body.models?.map(({ key }: { readonly key: string }) => key);
  };
  expect(await keys()).toEqual(['hearth/starter-chat']);
  const change = (body: object, of = id) =>
    post(hearth.url, `${tokensPath}/${of}`, body, { ...bearing(admin), method: 'PATCH' });
  expect((await change({ name: 'desk', models: ['hearth/*-embed'] })).body).toMatchObject({
    id,
    name: 'desk',
    permissions: ['models:read'],
    requests_per_day: 1000,
    tokens_per_day: null,
    models: ['hearth/*-embed'],
  });
  expect(await keys()).toEqual(['hearth/starter-embed']);
  const edit = (...more: string[]) =>
    runHearth(['token', 'edit', id, '--json', ...more], { home: hearth.home });
  expect((await edit('--priority', 'background')).stdout).toContain('"background"');
  expect((await change({ priority: 'interactive' })).body).toMatchObject({
    priority: 'interactive',
  });
  expect((await change({ priority: 'first' })).status).toBe(400);
  const edited = await edit('--models', 'hearth/*vision, hearth/*chat', '--tokens-per-day', '9');
  expect(JSON.parse(edited.stdout)).toMatchObject({
    name: 'desk',
    requests_per_day: 1000,
    tokens_per_day: 9,
    models: ['hearth/*vision', 'hearth/*chat'],
  });
  expect(await keys()).toEqual(['hearth/starter-chat', 'hearth/starter-vision']);
  const cleared = await edit('--models', 'all', '--requests-per-day', 'default');
  expect(JSON.parse(cleared.stdout)).toMatchObject({ requests_per_day: null, models: null });
  expect((await keys()).length).toBeGreaterThan(2);
  await change({ permissions: ['chat'] });
  expect(await keys()).toBeUndefined();
  expectError(await change({}, 'nope'), { code: 'token_not_found', message: 'nope', param: 'id' });
});

describe('rejects', () => {
  it.each([
    ['a name that is empty', { name: ' ', permissions: ['chat'] }, 'name'],
    ['a name with a NUL', { name: 'a\0b', permissions: ['chat'] }, 'name'],
    ['no permission', { name: 'a', permissions: [] }, 'permissions'],
    ['an unknown permission', { name: 'a', permissions: ['root'] }, 'permissions[0]'],
    ['an invalid time', { name: 'a', permissions: ['chat'], expires_at: 'tomorrow' }, 'expires_at'],
    [
      'a time that has passed',
      { name: 'a', permissions: ['chat'], expires_at: '2020-01-01T00:00:00Z' },
      'expires_at',
    ],
  ] as const)('%s', async (_, body, param) => {
    expectError(await create(body), { code: 'invalid_value', message: param, param });
  });

  it('a caller without admin, also if no token is required', async () => {
    const { token } = (await create({ name: 'chat', permissions: ['chat'] })).body;
    const body = { name: 'more', permissions: ['admin'] };
    expectError(await create(body, token), { code: 'forbidden', message: /"admin"/ });
    expectError(await post(hearth.url, tokensPath, body), { code: 'forbidden', message: /admin/ });
    expectError(await get(hearth.url, tokensPath), { code: 'forbidden', message: /admin/ });
  });
});
