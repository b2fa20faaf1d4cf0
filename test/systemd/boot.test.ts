import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { freePort, withTakenPort } from '../setup/net/ports.ts';
import { get, post } from '../setup/server/api.ts';
import { openStream } from '../setup/server/live-stream.ts';
import { bootMachine } from '../setup/systemd/booted-machine.ts';
import { useResource } from '../setup/use-resource.ts';

const machine = useResource(bootMachine);
const model = 'hearth/starter-chat';

interface Server {
  readonly url: string;
  readonly install: string;
}

async function newServer(): Promise<Server> {
  const port = await freePort();
  const install = `hearth service install --port ${port} --preload ${model}`;
  return { url: `http://127.0.0.1:${port}`, install };
}

const serverId = async (): Promise<string> =>
  (await machine.read('systemctl show --property=MainPID --value hearth')).trim();

/** Waits for the server and its preloaded model; the first time, also for the installation of the engine. */
async function waitForModel({ url }: Server): Promise<void> {
  const states = async () => {
    const status = await get(url, '/api/v1/status').catch(() => undefined);
    return status?.body.instances.map((each: { readonly state: string }) => each.state);
  };
  await expect.poll(states, { timeout: 90_000 }).toEqual(['ready']);
}

async function chat({ url }: Server): Promise<void> {
  const body = { model, input: 'Say hello.', reasoning: 'off', max_output_tokens: 8 };
  expect(await post(url, '/api/v1/chat', body)).toMatchObject({ status: 200 });
}

describe('the system service', () => {
  let server: Server;
  beforeAll(async () => {
    server = await newServer();
  });

  it('listens when its installation ends', async () => {
    const output = await machine.read(server.install);
    expect(output).toContain('Installed and started hearth.service');
    expect(output).toContain(`Hearth is listening on ${server.url}`);
  });

  it('runs as its own user; the commands of other users find it', async () => {
    await waitForModel(server);
    await chat(server);
    expect(await machine.read(`ps -o user= -p ${await serverId()}`)).toBe('hearth\n');
    const others = 'setpriv --reuid=daemon --clear-groups env HOME=/tmp/daemon';
    const instances = await machine.read(`${others} hearth ps --json`);
    expect(JSON.parse(instances)).toMatchObject({ instances: [{ model }] });
    expect((await machine.run(`${others} ls /var/lib/hearth`)).exitCode).not.toBe(0);
  });

  it('runs plugins that install themselves in the home folder', async () => {
    const require = createRequire(import.meta.url);
    const program = dirname(
      require.resolve('@modelcontextprotocol/server-everything/package.json'),
    );
    const install = `cd && cp -a ${program}/package.json . && tar -cf /tmp/a.tar package.json && tar -xf /tmp/a.tar`;
    const token = (await machine.read('cat /var/lib/hearth/owner-token')).trim();
    const headers = { authorization: `Bearer ${token}` };
    const path = `${server.url}/api/v1/mcp/servers/everything`;
    const start = `{ ${install}; } >&2 && exec ${process.execPath} ${program}/dist/index.js stdio`;
    const plugin = { command: '/bin/sh', args: ['-c', start] };
    expect(await post(path, '', plugin, { method: 'PUT', headers })).toMatchObject({ status: 200 });
    const tested = await post(path, '/test', {}, { headers });
    expect(tested.body).toMatchObject({
      tools: expect.arrayContaining([expect.objectContaining({ name: 'echo' })]) as unknown,
    });
  });

  it('starts again after it was killed', async () => {
    const before = await serverId();
    await machine.read(`kill -9 ${before}`);
    await expect.poll(serverId, { timeout: 30_000 }).not.toBe(before);
    await waitForModel(server);
    await chat(server);
  });

  it('starts again if its event loop is blocked', async () => {
    const override = '/run/systemd/system/hearth.service.d/watchdog.conf';
    await machine.read(
      `mkdir -p $(dirname ${override}) && printf '[Service]\\nWatchdogSec=3\\n' > ${override} &&
       systemctl daemon-reload && systemctl restart hearth`,
    );
    await waitForModel(server);
    const before = await serverId();
    await machine.read(`kill -STOP ${before}`);
    await expect
      .poll(() => machine.read('systemctl show --property=NRestarts --value hearth'), {
        timeout: 40_000,
      })
      .not.toBe('0\n');
    await waitForModel(server);
    expect(await serverId()).not.toBe(before);
    await machine.read(`rm ${override} && systemctl daemon-reload`);
  });

  it('finishes the running answers before it restarts', async () => {
    const body = { model, input: 'Tell a story.', reasoning: 'off', max_output_tokens: 300 };
    const streams = await Promise.all(
      Array.from({ length: 6 }, () => openStream(server.url, '/api/v1/chat', body)),
    );
    const before = await serverId();
    const restarted = machine.read('hearth service restart');
    for (const stream of streams) {
      const events = await stream.rest();
      expect(events.map(({ event }) => event)).not.toContain('error');
      expect(events.at(-1)?.event).toBe('chat.end');
    }
    await restarted;
    expect(await serverId()).not.toBe(before);
    await waitForModel(server);
  });

  // covers service-10
  it('starts at boot', async () => {
    await machine.reboot();
    await waitForModel(server);
    await chat(server);
    const status = await machine.read('hearth service status --json');
    expect(JSON.parse(status)).toMatchObject({ installed: true, running: true, state: 'active' });
  });

  it('stays stopped after `hearth server stop`', async () => {
    await machine.read('hearth --home /var/lib/hearth server stop');
    const state = () => machine.run('systemctl is-active hearth');
    await expect.poll(async () => (await state()).stdout).toBe('inactive\n');
    await machine.read('hearth service restart');
    await waitForModel(server);
  });

  it('says why it does not start', async () => {
    await withTakenPort(async (port) => {
      const { exitCode, stderr } = await machine.run(`hearth service install --port ${port}`);
      expect(exitCode).toBe(1);
      expect(stderr).toContain(
        `error: hearth.service is installed, but did not start: Can't listen on 127.0.0.1, port ${port}`,
      );
      expect(stderr).toContain('Its log: hearth service logs');
    });
    await machine.read(server.install);
    await waitForModel(server);
  });

  it('is removed while it runs, and keeps its data', async () => {
    expect(await machine.read('hearth service uninstall')).toBe('Removed hearth.service\n');
    await expect(get(server.url, '/health')).rejects.toThrow('fetch failed');
    const left = await machine.run('ls /etc/systemd/system/hearth.service /run/hearth');
    expect(left.stdout).toBe('');
    expect(await machine.read('ls /var/lib/hearth')).toContain('hearth.db\n');
    expect((await machine.run('hearth service status')).stdout).toContain('not installed');
  });
});

describe('the user service', () => {
  it('starts at boot with lingering', async () => {
    await machine.read('useradd --create-home ada');
    const asAda = (line: string) =>
      `su ada --login --shell /bin/bash --command 'XDG_RUNTIME_DIR=/run/user/$UID ${line}'`;
    await machine.read('loginctl enable-linger ada');
    const isUp = async () => (await machine.run('systemctl is-active user@$(id -u ada)')).stdout;
    await expect.poll(isUp, { timeout: 20_000 }).toBe('active\n');

    const server = await newServer();
    const installed = await machine.run(asAda(`${server.install} --user`));
    expect(installed).toMatchObject({ exitCode: 0 });
    expect(installed.stderr).not.toContain('enable-linger');
    await machine.reboot();
    await waitForModel(server);
    await chat(server);
    await machine.read(asAda('hearth service uninstall --user'));
    await expect(get(server.url, '/health')).rejects.toThrow('fetch failed');
  });
});
