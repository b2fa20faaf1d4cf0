import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { officialServer } from '../setup/mcp/official-server.ts';
import { get, post, stream } from '../setup/server/api.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { projectFolder } from '../setup/project-folder.ts';
import { openHearth, useHearth } from '../setup/server/use-hearth.ts';

const everything = officialServer('server-everything');
const hearth = useHearth({ environment: { HEARTH_LOG_LEVEL: 'info' } });

const bearing = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
let token: string;
beforeAll(async () => {
  token = (await readFile(join(hearth.home, 'owner-token'), 'utf8')).trim();
});

// covers auth-1, auth-7
it('tells an anonymous caller that it has neither admin nor plugins', async () => {
  const { body } = await get(hearth.url, '/api/v1/session');
  expect(body).toMatchObject({ type: 'anonymous', id: null });
  expect(body.permissions).not.toContain('admin');
  expect(body.permissions).not.toContain('plugins');
});

describe('settings', () => {
  const settingsPath = '/api/v1/settings';
  const change = (body: object) =>
    post(hearth.url, settingsPath, body, { ...bearing(token), method: 'PATCH' });
  const config = (...commandLine: string[]) =>
    runHearth(['config', ...commandLine], { home: hearth.home });

  it('take effect at once, or with the next start', async () => {
    const changed = await change({
      'models.ttlSeconds': 77,
      'engine.parallel': 2,
      'log.level': 'debug',
      'hub.token': 'hf_secret',
    });
    expect(changed).toMatchObject({
      status: 200,
      body: {
        applied: ['models.ttlSeconds'],
        restart_required: ['engine.parallel', 'hub.token'],
        overridden: [{ key: 'log.level', by: 'HEARTH_LOG_LEVEL' }],
      },
    });
    const model = 'hearth/starter-chat';
    await post(hearth.url, '/api/v1/models/unload', { instance_id: model });
    await post(hearth.url, '/api/v1/chat', { model, input: 'Hello!', max_output_tokens: 1 });
    const { body } = await get(hearth.url, '/api/v1/status');
    expect(body.instances).toContainEqual(expect.objectContaining({ ttl_seconds: 77 }));

    const listed = await get(hearth.url, settingsPath, bearing(token));
    expect(listed.body.settings).toContainEqual(
      expect.objectContaining({ key: 'hub.token', value: null, is_set: true, source: 'file' }),
    );
    expect(JSON.stringify([changed, listed]) + hearth.log()).not.toContain('hf_secret');
    expect(await readFile(join(hearth.home, 'config.json'), 'utf8')).toContain('hf_secret');
  });

  it('are rejected as at the start, and nothing is written', async () => {
    const before = await readFile(join(hearth.home, 'config.json'), 'utf8');
    for (const [body, param, message] of [
      [{ 'server.port': 70_000 }, 'server.port', 'from 0 to 65535'],
      [{ 'auth.requird': false }, 'auth.requird', 'Did you mean "auth.required"?'],
    ] as const) {
      expectError(await change(body), { code: 'invalid_value', message, param });
    }
    const exposed = await change({ 'server.host': '0.0.0.0' });
    expectError(exposed, { code: 'conflict', message: 'auth.required is off' });
    expectError(await change({}), { code: 'invalid_value', message: 'at least one setting' });
    expect(await readFile(join(hearth.home, 'config.json'), 'utf8')).toBe(before);
  });

  // covers cli-11
  it('are changed by hearth config, through the running server', async () => {
    expect(await config('set', 'models.ttlSeconds', '78')).toMatchObject({
      exitCode: 0,
      stdout: 'Changed models.ttlSeconds\n',
      stderr: '',
    });
    expect(await config('get', 'models.ttlSeconds')).toMatchObject({ stdout: '78\n' });
    expect((await config('unset', 'engine.parallel')).stderr).toBe('');
    expect((await config('set', 'models.ttlSeconds', 'x')).stderr).toContain('from 1 to');
    const { stdout } = await config('ls', '--changed', '--json');
    expect(JSON.parse(stdout).settings).toContainEqual(
      expect.objectContaining({ key: 'models.ttlSeconds', value: 78, source: 'file' }),
    );
  });

  it('are closed to anonymous callers', async () => {
    expectError(await get(hearth.url, settingsPath), { code: 'forbidden', message: 'admin' });
    const foreign = await post(
      hearth.url,
      settingsPath,
      { 'models.jit': false },
      {
        method: 'PATCH',
        headers: { ...bearing(token).headers, origin: 'https://evil.example' },
      },
    );
    expectError(foreign, { code: 'forbidden', message: 'may not call' });
  });
});

describe('MCP servers', () => {
  const serversPath = '/api/v1/mcp/servers';
  const call = (method: string, path: string, body?: object) =>
    body === undefined
      ? get(hearth.url, `${serversPath}${path}`, { ...bearing(token), method })
      : post(hearth.url, `${serversPath}${path}`, body, { ...bearing(token), method });
  const echoServer = {
    command: process.execPath,
    args: [everything, 'stdio'],
    env: { KEY: 'secret-value' },
  };

  it('are added, tested, tried and removed, and keep their secrets', async () => {
    const added = await call('PUT', '/all', echoServer);
    expect(added).toMatchObject({
      status: 200,
      body: { id: 'mcp/all', type: 'process', env: { KEY: '[redacted]' } },
    });
    const changed = { ...echoServer, env: { ...added.body.env, OTHER: 'x' } };
    expect((await call('PUT', '/all', changed)).status).toBe(200);
    const stored = JSON.parse(await readFile(join(hearth.home, 'mcp.json'), 'utf8'));
    expect(stored.mcpServers.all.env).toEqual({ KEY: 'secret-value', OTHER: 'x' });

    const tested = await call('POST', '/all/test');
    expect(tested.body.tools).toContainEqual(
      expect.objectContaining({ name: 'echo', parameters: expect.anything() }),
    );
    const echo = (body: object) => call('POST', '/all/tools/echo', body);
    expect((await echo({ arguments: { message: 'Hello' } })).body).toMatchObject({
      content: [{ type: 'text', text: 'Echo: Hello' }],
      is_error: false,
    });
    const wrong = await echo({ arguments: { message: 5 } });
    expectError(wrong, { code: 'invalid_value', message: 'message', param: 'arguments' });

    const listed = await call('GET', '');
    expect(listed.body.servers.map(({ label }: { label: string }) => label)).toEqual([
      'speech-script',
      'all',
    ]);
    expect(JSON.stringify(listed.body) + hearth.log()).not.toContain('secret-value');
    expect((await call('DELETE', '/all')).body).toEqual({ label: 'all', removed: true });
  });

  it('are validated', async () => {
    const unknown = await call('POST', '/speech-script/tools/none', { arguments: {} });
    expectError(unknown, { code: 'invalid_value', message: 'it has: format', param: 'tool' });

    for (const [label, entry, message] of [
      ['x', { command: 'a', url: 'http://b' }, 'either command or url'],
      ['x', { url: 'ftp://a' }, 'http or https URL'],
      ['x', { command: 'a', env: { KEY: '[redacted]' } }, 'env.KEY is [redacted]'],
      ['a%20b', { command: 'a' }, 'must be up to 64 letters'],
      ['__proto__', { command: 'a' }, 'must be up to 64 letters'],
      ['speech-script', { command: 'a' }, "a plugin of Hearth's own"],
    ] as const) {
      expectError(await call('PUT', `/${label}`, entry), { code: 'invalid_value', message });
    }
  });

  it('are closed to anonymous callers', async () => {
    const added = await post(hearth.url, `${serversPath}/x`, { command: 'a' }, { method: 'PUT' });
    expectError(added, { code: 'forbidden', message: 'admin' });
    for (const path of ['', '/speech-script']) {
      expectError(await get(hearth.url, serversPath + path), {
        code: 'forbidden',
        message: 'admin',
      });
    }
  });
});

describe('runtimes', () => {
  const runtimesPath = '/api/v1/runtimes';
  type Entry = { name: string; version: string; active: boolean; selected: boolean };

  // covers cli-13
  it('are listed, selected and installed with progress', async () => {
    const { body } = await get(hearth.url, runtimesPath);
    const [active] = body.runtimes as Entry[];
    expect(active).toMatchObject({ active: true, selected: false });
    const name = active?.name ?? '';
    const use = (choice: object) => post(hearth.url, `${runtimesPath}/use`, choice, bearing(token));
    expect((await use({ name, version: 'b0' })).body.error.code).toBe('runtime_not_found');
    // The test server's runtime is shared by all tests.
    const events = await stream(
      hearth.url,
      `${runtimesPath}/install`,
      { from: 'wheel' },
      bearing(token),
    );
    expect(events.at(-1)).toMatchObject({
      event: 'install.end',
      data: expect.stringContaining(name),
    });
  });

  it('are changed by operators only', async () => {
    for (const [method, path, body] of [
      ['POST', '/install', {}],
      ['POST', '/use', { name: null }],
      ['DELETE', '/llama.cpp-linux-x64-cpu/b1', undefined],
    ] as const) {
      const answer = await (body === undefined
        ? get(hearth.url, runtimesPath + path, { method })
        : post(hearth.url, runtimesPath + path, body, { method }));
      expectError(answer, { code: 'forbidden', message: 'admin' });
    }
  });
});

describe('a server with HTTPS', () => {
  const fixture = (name: string) => join(projectFolder, 'test/fixtures/tls', name);

  // covers server-17
  it('is found by commands of its home, and keeps other origins out', async () => {
    const tls = await openHearth({
      flags: [
        `--server-tls-cert=${fixture('first.cert.pem')}`,
        `--server-tls-key=${fixture('first.key.pem')}`,
        '--server-public-url=https://hearth.example',
      ],
    });
    const run = (...commandLine: string[]) => runHearth(commandLine, { home: tls.home });
    expect(JSON.parse((await run('status', '--json')).stdout)).toMatchObject({ url: tls.url });
    expect(tls.url).toMatch(/^https:/);
    const opened = await run('open', '--json', '--no-browser');
    expect(JSON.parse(opened.stdout).url).toMatch(/^https:\/\/hearth\.example\/open#code=/);
    // The certificate is self-signed, so only commands of the home folder accept it.
    const elsewhere = await run('status', '--host', tls.url);
    expect(elsewhere).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('certificate'),
    });
  });
});

it('starts the server if none runs', async () => {
  await hearth.stop();
  const { stdout } = await runHearth(['open', '--json', '--no-browser'], {
    home: hearth.home,
    environment: { HEARTH_SERVER_PORT: '0' },
  });
  expect(stdout).toContain('/open#code=');
  await runHearth(['server', 'stop'], { home: hearth.home });
  await hearth.restart();
});
