import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  removedFlags,
  removedSettings,
  removedVariables,
} from '../../src/settings/removed-settings.ts';
import { readServerRecord, writeServerRecord } from '../../src/platform/home/server-record.ts';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { openHearth } from '../setup/server/use-hearth.ts';
import { withTakenPort } from '../setup/net/ports.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

let home: string;
beforeEach(async () => {
  home = await temporaryFolder();
});

describe('hearth serve', () => {
  // covers service-1, cli-1
  it('prints its address and an example request, and exits with 0 on SIGTERM', async () => {
    const server = await openHearth({ home });
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    expect(server.log()).toContain(`curl ${server.url}/api/v1/chat -H 'Content-Type`);
    expect(await server.stop()).toBe(0);
    await expect(fetch(`${server.url}/health`)).rejects.toThrow('fetch failed');
  });

  it('starts with removed settings, and warns of each', async () => {
    const keys = [...removedSettings.keys()];
    const variables = [...removedVariables.keys()];
    const flags = [...removedFlags.keys()].map((name) => `--${name}`);
    const config = Object.fromEntries(keys.map((key) => [key, 1]));
    await writeFile(join(home, 'config.json'), JSON.stringify(config));
    const server = await openHearth({
      home,
      environment: Object.fromEntries(variables.map((name) => [name, '1'])),
      flags: flags.map((flag) => `${flag}=1`),
    });
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    const log = server.log().replaceAll(String.raw`\"`, '');
    for (const name of [...keys, ...variables, ...flags]) {
      expect(log).toContain(`${name} is no longer a setting`);
    }
    expect(await server.stop()).toBe(0);
  });

  // covers cli-19
  it('ends with 130 on SIGINT', async () => {
    const { exitCode, stdout } = await runHearth(['serve', '--port', '0'], {
      home,
      onStdout: (_, child) => child.kill('SIGINT'),
    });
    expect(exitCode).toBe(130);
    expect(stdout).toMatch(/^Hearth is listening on http:\/\/127\.0\.0\.1:\d+\n$/);
  });

  it('refuses a home folder that another server uses', async () => {
    const server = await openHearth({ home });
    const { exitCode, stderr } = await runHearth(['serve', '--port', '0'], { home });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error: A Hearth server \(process \d+, http.*already uses/m);
    await server.stop();
  });

  it.each([
    ['models.ttlSeconds in config.json', 'config.json', '{"models": {"ttlSeconds": "x"}}'],
    ['config.json is not JSON', 'config.json', '{"models": '],
    ['it is damaged', 'hearth.db', 'this is not a database '.repeat(99)],
  ])('ends with 2, which prevents restarts, with "%s"', async (message, name, content) => {
    await writeFile(join(home, name), content);
    const environment = { HEARTH_STORE_URL: '' };
    const outcome = await runHearth(['serve', '--port', '0'], { home, environment });
    expect(outcome.stderr).toContain(message);
    expect(outcome.exitCode).toBe(2);
  });

  it('writes its log and its error to --log-file', async () => {
    const file = join(home, 'logs', 'server.log');
    const options = ['serve', '--port', '0', '--log-file', file];
    const served = runHearth(options, { home });
    await expect.poll(() => readServerRecord(home), { timeout: 20_000 }).toBeDefined();
    const refused = await runHearth(options, { home });
    expect(refused.exitCode).toBe(1);
    await runHearth(['server', 'stop'], { home });
    expect(await served).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    const log = await readFile(file, 'utf8');
    expect(log).toContain('"msg":"listening"');
    expect(log).toContain('Hearth is listening on http://127.0.0.1:');
    expect(log).toMatch(/^error: A Hearth server \(process \d+.*already uses/m);
  });

  it('is reached directly, and reaches its engine, where Node follows the proxy of the environment', async () => {
    const environment = {
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY: 'http://127.0.0.1:9',
      HTTPS_PROXY: 'http://127.0.0.1:9',
      NO_PROXY: '',
    };
    const server = await openHearth({ home, environment });
    const chat = ['chat', 'hearth/starter-chat', '-p', 'Hello!'];
    const { exitCode, stdout, stderr } = await runHearth(chat, { home, environment });
    expect(stderr).not.toContain('error');
    expect(exitCode).toBe(0);
    expect(stdout).not.toBe('');
    await server.stop();
  });

  // covers server-4
  it('refuses a setting that is not allowed, and says which', async () => {
    const { exitCode, stderr } = await runHearth(['serve', '--port', '70000'], { home });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^error: --server-port: "70000" is not allowed/);
  });

  it('names the place of an error in config.json, and the setting that was meant', async () => {
    const file = join(home, 'config.json');
    await writeFile(file, '{\n  "server": {\n    "prot": 8080\n  }\n}');
    const unknown = await runHearth(['serve', '--port', '0'], { home });
    expect(unknown).toMatchObject({ exitCode: 2, stdout: '' });
    expect(unknown.stderr).toBe(
      `error: config.json: "server.prot" is not a setting (${file}:3:13). Did you mean "server.port"?\n`,
    );
    await writeFile(file, '{\n  "server": {\n    "port": 8080,\n  }\n}');
    const broken = await runHearth(['ls'], { home });
    expect(broken).toMatchObject({
      exitCode: 2,
      stderr: `error: config.json is not JSON: property name expected (${file}:4:3). Correct the file, or move it away to use the defaults.\n`,
    });
  });

  it('warns of a variable that is not a setting', async () => {
    const server = await openHearth({ home, environment: { HEARTH_PORT: '1' } });
    expect(server.log()).toContain(
      'warning: HEARTH_PORT is not a setting. Did you mean HEARTH_SERVER_PORT?\n',
    );
    await server.stop();
  });

  // covers server-7
  it('refuses an address that other machines can reach without --allow-unauthenticated', async () => {
    const { exitCode, stderr } = await runHearth(['serve', '--bind', '0.0.0.0'], { home });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/--allow-unauthenticated/);
  });

  it('says that the port is taken, without a stack', async () => {
    await withTakenPort(async (port) => {
      const { exitCode, stderr } = await runHearth(['serve', '--port', String(port)], { home });
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(new RegExp(`^error: .*${port}`, 'm'));
      expect(stderr).not.toContain('    at ');
    });
  });
});

describe('hearth server', () => {
  // covers cli-2
  it('starts, is found, and stops', async () => {
    const before = await runHearth(['server', 'status'], { home });
    expect(before).toMatchObject({ exitCode: 1, stdout: 'Hearth is not running.\n' });

    const start = await runHearth(['server', 'start', '--port', '0', '--json'], { home });
    expect(start.exitCode).toBe(0);
    const { url, pid } = JSON.parse(start.stdout) as { url: string; pid: number };
    try {
      expect((await fetch(`${url}/health`)).status).toBe(200);
      const again = await runHearth(['server', 'start', '--port', '0'], { home });
      expect(again.stdout).toBe(`Hearth is already running on ${url} (pid ${pid})\n`);
      const status = await runHearth(['server', 'status', '--json'], { home });
      expect(status.exitCode).toBe(0);
      expect(JSON.parse(status.stdout)).toEqual({
        running: true,
        url,
        pid,
        version: expect.any(String) as string,
        started_at: expect.stringMatching(/Z$/) as string,
      });
      const shown = await runHearth(['status'], { home });
      expect(shown.stdout).toMatch(new RegExp(`^Server +${url} \\(pid ${pid}, up `));
      expect(shown.stdout).toMatch(/^Memory +[\d.]+ MB server, 0 B engines, .* available$/m);
    } finally {
      const stop = await runHearth(['server', 'stop'], { home });
      expect(stop).toMatchObject({ exitCode: 0, stdout: 'Stopped the server.\n' });
    }
    // The server is stopped by a request, since Windows has no signal for it.
    expect(await readFile(join(home, 'logs/server.log'), 'utf8')).toContain(
      'the owner stops the server',
    );
    await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed');
    const nothing = await runHearth(['server', 'stop'], { home });
    expect(nothing).toMatchObject({ exitCode: 0, stdout: '' });
  });

  it('shows the log of a server that does not start', async () => {
    await withTakenPort(async (port) => {
      const { exitCode, stderr } = await runHearth(['server', 'start', '--port', String(port)], {
        home,
      });
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/The server exited with code 1\. End of its log:\n/);
      expect(stderr).toMatch(new RegExp(`error: .*${port}`));
    });
  });

  it('never stops a foreign process that a stale record names', async () => {
    const foreign = createServer((_, response) => response.writeHead(401).end());
    foreign.listen(0, '127.0.0.1');
    await once(foreign, 'listening');
    const bystander = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    try {
      const { port } = foreign.address() as AddressInfo;
      await writeServerRecord(home, {
        pid: bystander.pid ?? 0,
        url: `http://127.0.0.1:${port}`,
        version: '0.1.0',
        started_at: new Date().toISOString(),
      });
      const { exitCode, stderr } = await runHearth(['server', 'stop'], { home });
      expect(exitCode).toBe(0);
      expect(stderr).toBe('Hearth is not running.\n');
      expect(bystander.signalCode).toBeNull();
    } finally {
      bystander.kill();
      foreign.close();
    }
  });

  it('ignores the record of a killed server', async () => {
    const server = await openHearth({ home });
    await server.kill();
    const environment = { HEARTH_SERVER_PORT: '0' };
    const list = await runHearth(['ls'], { home, environment });
    expect(list).toMatchObject({ exitCode: 1, stdout: '' });
    expect(list.stderr).toMatch(/^error: Hearth is not running .*`hearth serve`/);
    const status = await runHearth(['server', 'status'], { home });
    expect(status.exitCode).toBe(1);
  });
});
