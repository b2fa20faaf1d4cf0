import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cookieOf, signIn } from '../setup/access/sign-in.ts';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { get, post, type ApiAnswer } from '../setup/server/api.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { withTokens } from '../setup/server/with-tokens.ts';

const hearth = useHearth({
  environment: { HEARTH_LOG_LEVEL: 'debug', HEARTH_LOG_PROMPTS: 'true' },
});
const path = '/api/v1/sessions';
const bearing = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const openLink = async () => {
  const { stdout } = await runHearth(['open', '--json', '--no-browser'], {
    home: hearth.home,
    environment: { HEARTH_SERVER_PORT: '0' },
  });
  const { url } = JSON.parse(stdout) as { readonly url: string };
  return { url, code: new URL(url).hash.replace('#code=', '') };
};
const exchange = (code: string): Promise<ApiAnswer> => post(hearth.url, path, { code });
const whoAmI = (headers: Readonly<Record<string, string>>) =>
  get(hearth.url, '/api/v1/session', { headers });
const remove = (id: string, headers: Readonly<Record<string, string>>) =>
  get(hearth.url, `${path}/${id}`, { headers, method: 'DELETE' });
const makeToken = (permissions: readonly ('chat' | 'models:read')[]) =>
  withTokens(hearth.home, (service) => service.create({ name: 'laptop', permissions }));

let owner: string;
beforeAll(async () => {
  owner = (await readFile(join(hearth.home, 'owner-token'), 'utf8')).trim();
});

describe('a session of the owner', () => {
  // covers auth-13
  it('opens once with the link of hearth open, has all permissions, and ends when it is revoked', async () => {
    const { url, code } = await openLink();
    expect(url).toBe(`${hearth.url}/open#code=${code}`);
    const { id, headers, token, cookie } = await signIn(hearth.url, '', { code });
    expectError(await exchange(code), { code: 'invalid_code', message: 'used', param: 'code' });
    expect((await whoAmI(headers)).body).toMatchObject({
      type: 'session',
      id,
      permissions: expect.arrayContaining(['admin', 'plugins', 'chat']),
      auth_required: false,
    });
    const listed = await get(hearth.url, path, { headers });
    expect(listed.body.sessions).toContainEqual(
      expect.objectContaining({ id, is_current: true, token_id: 'owner', address: '127.0.0.1' }),
    );
    const { body: inspected } = await get(hearth.url, '/api/v1/requests', { headers });
    const signIns = (
      inspected.requests as readonly { readonly id: string; readonly path: string }[]
    )
      .filter((request) => request.path === path)
      .map((request) => get(hearth.url, `/api/v1/requests/${request.id}`, { headers }));
    const details = (await Promise.all(signIns)).map(({ body }) => body);
    expect(details).toContainEqual(expect.objectContaining({ path, prompts_recorded: true }));
    expect((await remove(id, headers)).body).toEqual({ id, revoked: true });
    expectError(await whoAmI(headers), {
      code: 'invalid_api_key',
      message: 'The session has ended',
    });
    expectError(await remove(id, bearing(owner).headers), {
      code: 'session_not_found',
      message: id,
      param: 'id',
    });
    const secrets = [code, token.slice(-32), cookie.split('=')[1] ?? '', owner];
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(30);
      expect(hearth.log()).not.toContain(secret);
      expect(JSON.stringify([inspected, details, listed.body])).not.toContain(secret);
    }
  });

  it('shares the responses of anonymous callers', async () => {
    const { headers } = await signIn(hearth.url, owner);
    const body = { model: 'hearth/starter-chat', input: 'Hello!', max_output_tokens: 1 };
    const made = await post(hearth.url, '/api/v1/chat', body, { headers });
    expect((await get(hearth.url, `/api/v1/responses/${made.body.response_id}`)).status).toBe(200);
  });

  it('lasts over a restart of the server', async () => {
    const { headers, id } = await signIn(hearth.url, owner);
    await hearth.stop();
    await hearth.restart({
      environment: { HEARTH_LOG_LEVEL: 'debug', HEARTH_LOG_PROMPTS: 'true' },
    });
    owner = (await readFile(join(hearth.home, 'owner-token'), 'utf8')).trim();
    expect((await whoAmI(headers)).body).toMatchObject({ type: 'session', id });
  });
});

describe('the cookie', () => {
  it('is out of the reach of scripts and other sites, and needs HTTPS if the page has it', async () => {
    const plain = await post(hearth.url, path, { token: owner });
    const { id } = plain.body;
    expect(plain.headers.get('set-cookie')).toMatch(
      new RegExp(
        `^hearth-session-${id}=[\\w-]{32}; Max-Age=2678400; Path=/; HttpOnly; SameSite=Strict$`,
      ),
    );
    const removed = await remove(id, bearing(owner).headers);
    expect(removed.headers.get('set-cookie')).toMatch(/^hearth-session-\w+=; Max-Age=0; Path=\/;/);
  });

  it('is not enough, and neither is the token without it', async () => {
    const one = await signIn(hearth.url, owner);
    const other = await signIn(hearth.url, owner);
    expect((await whoAmI({ cookie: one.cookie })).body).toMatchObject({ type: 'anonymous' });
    const { authorization } = one.headers;
    for (const cookie of ['', other.cookie, one.cookie.replace(one.id, other.id)]) {
      expectError(await whoAmI({ authorization, cookie }), {
        code: 'invalid_api_key',
        message: 'The session has ended',
      });
    }
    expect((await whoAmI(one.headers)).status).toBe(200);
  });
});

describe('a session of a token', () => {
  it('has its permissions and conversations, sees its own sessions only, and ends with it', async () => {
    const { token, record } = await makeToken(['chat', 'models:read']);
    const { headers, id } = await signIn(hearth.url, token, {
      headers: { 'user-agent': 'Mozilla/5.0 (Linux; Android 10; K) Chrome/140.0 Safari/537.36' },
    });
    const ofOwner = await signIn(hearth.url, owner);
    expect((await whoAmI(headers)).body).toMatchObject({
      type: 'session',
      name: 'laptop',
      permissions: ['chat', 'models:read'],
    });
    const { sessions } = (await get(hearth.url, path, { headers })).body;
    expect(sessions).toMatchObject([
      { id, token_id: record.id, token_name: 'laptop', browser: 'Chrome', system: 'Android' },
    ]);
    expectError(await remove(ofOwner.id, headers), {
      code: 'session_not_found',
      message: ofOwner.id,
      param: 'id',
    });
    const link = await post(hearth.url, `${path}/links`, undefined, { headers });
    const second = await signIn(hearth.url, '', { code: link.body.code });
    expect((await whoAmI(second.headers)).body.permissions).toEqual(['chat', 'models:read']);
    const others = await get(hearth.url, `${path}?keep=current`, { headers, method: 'DELETE' });
    expect(others.body).toEqual({ revoked_count: 1 });
    expect((await whoAmI(second.headers)).status).toBe(401);
    expect((await whoAmI(ofOwner.headers)).status).toBe(200);
    await withTokens(hearth.home, (_, store) => store.tokens.delete(record.id));
    expect((await whoAmI(headers)).status).toBe(401);
    expectError(await post(hearth.url, path, { token }), {
      code: 'invalid_api_key',
      message: 'unknown or revoked',
    });
  });
});

describe('refuses', () => {
  it('to show and revoke sessions without a token', async () => {
    const { id } = await signIn(hearth.url, owner);
    expect((await get(hearth.url, path)).body).toEqual({ sessions: [] });
    const others = await get(hearth.url, `${path}?keep=current`, { method: 'DELETE' });
    expect(others.body).toEqual({ revoked_count: 0 });
    expectError(await remove(id, {}), { code: 'session_not_found', message: id, param: 'id' });
    const link = await post(hearth.url, `${path}/links`, undefined);
    expect(link.body).toEqual({ url: `${hearth.url}/open`, code: null, expires_at: null });
  });

  it('a body of several kilobytes, and one without or with both credentials', async () => {
    expectError(await exchange('A'.repeat(5000)), {
      code: 'body_too_large',
      message: 'at most 4096 are allowed',
    });
    const message = 'must be sent unless token is';
    for (const [body, code] of [
      [{}, 'missing_required_parameter'],
      [{ code: 'a', token: 'b' }, 'invalid_value'],
    ] as const) {
      expectError(await post(hearth.url, path, body), { code, message, param: 'code' });
    }
  });

  it('the page of another origin, also with a code', async () => {
    const { code } = await openLink();
    for (const origin of ['https://evil.example', 'null', `https://${new URL(hearth.url).host}`]) {
      const answer = await post(hearth.url, path, { code }, { headers: { origin } });
      expectError(answer, { code: 'forbidden', message: 'may not call' });
    }
    expect(cookieOf((await exchange(code)).headers)).toContain('hearth-session-');
  });

  it('attempts after many have failed, and says when to try again', async () => {
    let answer = await exchange('wrong');
    for (let count = 0; count < 20 && answer.status === 401; count += 1) {
      answer = await post(hearth.url, path, { token: 'wrong' });
    }
    expectError(answer, { code: 'rate_limit_exceeded', message: 'Too many attempts to sign in' });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
