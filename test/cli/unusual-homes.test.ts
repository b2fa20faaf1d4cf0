import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { post } from '../setup/server/api.ts';
import { hearthEntryPoint } from '../setup/server/hearth-process.ts';
import { openHearth } from '../setup/server/use-hearth.ts';
import { useSmallDisk } from '../setup/small-disk.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const hello = { model: 'hearth/starter-chat', input: 'Hello!', max_output_tokens: 4 };

describe('a home with a long path of blanks, umlauts and emoji', () => {
  it('serves models, and three commands at once', async () => {
    const folder = join(await temporaryFolder(), 'my models ä 😀');
    const home = join(folder, 'x'.repeat(249 - folder.length));
    expect(home).toHaveLength(250);
    // The paths of the home and of the temporary folder are both too long for a socket.
    const environment = { TMPDIR: join(home, 'nowhere') };
    const server = await openHearth({ home, environment });
    expect((await post(server.url, '/api/v1/chat', hello)).status).toBe(200);
    const commands = await Promise.all([
      runHearth(['ls', '--json'], { home }),
      runHearth(['alias', 'set', 'mine', 'hearth/starter-chat'], { home }),
      runHearth(['config', 'set', 'models.ttlSeconds', '600'], { home }),
    ]);
    expect(commands.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    const shown = await runHearth(['config', 'get', 'models.aliases', '--json'], { home });
    expect(shown.stdout).toContain('hearth/starter-chat');
    expect(await server.stop()).toBe(0);
  });
});

describe('a home in memory', () => {
  const disk = useSmallDisk(16 * 1024 * 1024);

  it('serves models, with the sockets of engines in the home', async () => {
    const home = join(disk.path, 'home');
    const server = await openHearth({ home });
    expect((await post(server.url, '/api/v1/chat', hello)).status).toBe(200);
    expect(await readdir(join(home, 'run'))).toHaveLength(1);
    // A killed server leaves its sockets, which the next start removes.
    await server.kill();
    const next = await openHearth({ home });
    expect(await readdir(join(home, 'run')).catch(() => [])).toEqual([]);
    expect(await next.stop()).toBe(0);
  });
});

it('lets one of two servers have the home that start at the same time', async () => {
  const home = await temporaryFolder();
  const started: ChildProcess[] = [];
  const serve = () =>
    runHearth(['serve', '--port', '0'], { home, onStdout: (_, child) => started.push(child) });
  const servers = [serve(), serve()];
  const refused = await Promise.race(servers);
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toMatch(/already uses the home folder/);
  await expect.poll(() => started.length).toBeGreaterThan(0);
  for (const child of started) child.kill('SIGTERM');
  const outcomes = await Promise.all(servers);
  expect(new Set(outcomes.map(({ exitCode }) => exitCode))).toEqual(new Set([0, 1]));
});

describe.skipIf(process.getuid?.() !== 0 || process.platform !== 'linux')(
  'a user id without an entry, and without HOME',
  () => {
    const id = 54_321;

    /** Runs a command as that user until it ends, or until it prints a line. */
    async function run(commandLine: readonly string[], variables: readonly string[] = []) {
      const child = spawn(
        'setpriv',
        [
          `--reuid=${id}`,
          `--regid=${id}`,
          '--clear-groups',
          'env',
          '-i',
          `PATH=${process.env['PATH']}`,
          ...variables,
          process.execPath,
          hearthEntryPoint,
          ...commandLine,
        ],
        { cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] },
      );
      let [stdout, stderr] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
        if (text.includes('listening')) child.kill('SIGTERM');
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
      const [exitCode] = await once(child, 'close');
      return { exitCode: exitCode as number | null, stdout, stderr };
    }

    it('is told to name a home folder, and starts with one', async () => {
      expect(await run(['ls'])).toMatchObject({
        exitCode: 2,
        stderr:
          'error: This user has no home folder. Name a folder for Hearth with --home or HEARTH_HOME.\n',
      });
      const home = join(await temporaryFolder(), 'home');
      await chmod(dirname(home), 0o755);
      await mkdir(home);
      await chown(home, id, id);
      const served = await run(['serve', '--port', '0'], [`HEARTH_HOME=${home}`]);
      expect(served).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('listening') });
    });
  },
);
