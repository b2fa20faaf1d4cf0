import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../../test/setup/cli/run-command.ts';
import { fakeServerProgram } from '../../../test/setup/engine/fake-release.ts';
import { projectFolder } from '../../../test/setup/project-folder.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { writeManifest } from '../../engines/runtimes/runtime-manifest.ts';

let home: string;
beforeEach(async () => {
  home = join(await temporaryFolder(), '.hearth');
  await mkdir(home, { mode: 0o700 });
  const folder = join(home, 'runtimes/llama.cpp-linux-x64-cuda-b11541');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'llama-server'), fakeServerProgram('b11541'), { mode: 0o755 });
  await writeManifest(folder, {
    formatVersion: 1,
    name: 'llama.cpp-linux-x64-cuda',
    version: 'b11541',
    supportedFormats: ['gguf'],
    installedAt: '2026-11-22T10:00:00.000Z',
    origin: { source: 'release', executable: 'llama-server' },
  });
});

/** Runs `hearth doctor`; values that depend on the machine are replaced. */
async function runDoctor(environment: Readonly<Record<string, string>> = {}) {
  const { exitCode, stdout } = await runCommand(['--home', home, 'doctor'], {
    environment: { HEARTH_SERVER_PORT: '9', PATH: home, ...environment },
  });
  const transcript = stdout
    .replaceAll(home, '~/.hearth')
    .replace(/[\d.]+ .B are free/, '412.1 GB are free')
    .replace(/^ok GPU .*$/m, 'ok GPU          An NVIDIA GPU was found.')
    .replace(/port \d+/gi, (text) => text.replace(/\d+/, '1234'))
    .replace(/The time is \d{4}-.*Z\./, 'The time is 2026-11-22T10:00:00.000Z.');
  return { exitCode, transcript: transcript.trimEnd() };
}

/** The transcripts of `docs/doctor.md` by the headings above them. */
async function readTranscripts(): Promise<ReadonlyMap<string, string>> {
  const page = await readFile(join(projectFolder, 'docs/doctor.md'), 'utf8');
  const blocks = page.matchAll(/^## ([^\n]+)\n[^#]*?^```console\n\$ hearth doctor\n(.*?)\n```$/gms);
  return new Map([...blocks].map(([, heading = '', text = '']) => [heading, text]));
}

// Windows has different permissions.
describe.skipIf(process.platform === 'win32')(
  'docs/doctor.md shows what hearth doctor prints',
  () => {
    it('of a healthy installation', async () => {
      const { exitCode, transcript } = await runDoctor();
      expect(transcript).toBe((await readTranscripts()).get('A healthy installation'));
      expect(exitCode).toBe(0);
    });

    it('with settings that are not allowed', async () => {
      await writeFile(join(home, 'config.json'), '{ "server": { "port": 70000 } }', {
        mode: 0o600,
      });
      const environment = { HEARTH_SERVER_PORT: '', HEARTH_MODEL_DIR: '/data/models' };
      const { exitCode, transcript } = await runDoctor(environment);
      expect(transcript).toBe((await readTranscripts()).get('Settings that are not allowed'));
      expect(exitCode).toBe(1);
    });

    it('without a runtime, and does not promise that a load can install one', async () => {
      await rm(join(home, 'runtimes'), { recursive: true });
      const { transcript } = await runDoctor();
      expect(transcript).toMatch(
        /^! {2}Runtime {6}No runtime is installed\.\n.*Both need access to github\.com, or python3/m,
      );
    });

    it('with misspelt and several wrong settings', async () => {
      const file = join(home, 'config.json');
      await writeFile(file, '{ "models": { "ttlSecond": 60 } }', { mode: 0o600 });
      const misspelt = await runDoctor();
      expect(misspelt.transcript).not.toContain('All settings are valid');
      expect(misspelt.transcript).toContain(
        '!  Settings     config.json: "models.ttlSecond" is not a setting (~/.hearth/config.json:1:28). Did you mean "models.ttlSeconds"? It is ignored.',
      );
      await writeFile(file, '{ "server.port": 70000, "models.ttlSeconds": "x" }');
      const wrong = await runDoctor({ HEARTH_SERVER_PORT: '' });
      expect(wrong.transcript).toMatch(/^x {2}Settings {5}server\.port .*\n.*\nx .*ttlSeconds/);
    });

    it('with a damaged database and a port that is taken', async () => {
      await writeFile(join(home, 'hearth.db'), 'x'.repeat(8192), { mode: 0o600 });
      const other = createServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
      other.listen(0, '127.0.0.1');
      await once(other, 'listening');
      onTestFinished(() => void other.close());
      const { port } = other.address() as AddressInfo;
      const { exitCode, transcript } = await runDoctor({ HEARTH_SERVER_PORT: String(port) });
      expect(transcript).toBe((await readTranscripts()).get('A damaged database, a taken port'));
      expect(exitCode).toBe(1);
    });

    it('with a home folder that others read, a broken model and a wrong proxy', async () => {
      await chmod(home, 0o777);
      await writeFile(join(home, 'mcp.json'), '{}');
      await chmod(join(home, 'mcp.json'), 0o644);
      await mkdir(join(home, 'models/acme/broken'), { recursive: true });
      await writeFile(join(home, 'models/acme/broken/broken-q8_0.gguf'), 'GGUF');
      const { exitCode, transcript } = await runDoctor({ HTTPS_PROXY: 'proxy.example port 3128' });
      expect(transcript).toBe(
        (await readTranscripts()).get('Open files, a broken model, a wrong proxy'),
      );
      expect(exitCode).toBe(1);
    });
  },
);
