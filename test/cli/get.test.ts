import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { get } from '../setup/server/api.ts';
import { startFakeHub } from '../setup/hub/fake-hub.ts';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { openTerminalSession } from '../setup/cli/terminal-session.ts';
import { starterPath } from '../setup/engine/test-engines.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useResource } from '../setup/use-resource.ts';

const hub = useResource(async () => {
  const starter = await readFile(starterPath('chat'));
  const filePath = starterPath('chat');
  const large = { sizeBytes: 60_000_000, head: starter };
  return startFakeHub({
    repositories: [
      { name: 'acme/Barred-GGUF', files: { 'barred-Q8_0.gguf': { ...large, seed: 1 } } },
      { name: 'acme/Piped-GGUF', files: { 'piped-Q8_0.gguf': { filePath } } },
      {
        name: 'acme/Several-GGUF',
        files: { 'first-Q8_0.gguf': { filePath }, 'second-Q8_0.gguf': { filePath } },
      },
      { name: 'acme/Failing-GGUF', files: { 'failing-Q8_0.gguf': { filePath } } },
      { name: 'acme/Detached-GGUF', files: { 'detached-Q8_0.gguf': { ...large, seed: 2 } } },
      { name: 'acme/Restarted-GGUF', files: { 'restarted-Q8_0.gguf': { ...large, seed: 3 } } },
      {
        name: 'zebra/Wanted-GGUF',
        files: { 'wanted-Q8_0.gguf': { filePath } },
        downloads: 5000,
        task: 'text-generation',
      },
      {
        name: 'HuggingFaceTB/SmolLM2-360M-Instruct-GGUF',
        files: { 'smollm2-360m-instruct-q8_0.gguf': { filePath } },
      },
      { name: 'zebra/Other-Wanted-GGUF', files: { 'other-Q8_0.gguf': { filePath } } },
    ],
  });
});
const hearth = useHearth(() => ({
  environment: { HEARTH_HUB_ENDPOINT: hub.url, HEARTH_LOG_LEVEL: 'debug' },
}));
afterEach(() => hub.faults.clear());

const run = (...commandLine: string[]) => runHearth(commandLine, { home: hearth.home });
const jobs = async (): Promise<readonly Record<string, unknown>[]> =>
  (await get(hearth.url, '/api/v1/models/downloads')).body.downloads;
const slow = { kind: 'throttle', bytesPerSecond: 1_000_000 } as const;

describe('hearth get on a terminal', () => {
  // covers cli-4
  it('shows a bar, pauses with Ctrl-C, and continues when it is run again', async () => {
    hub.faults.add(slow);
    const first = openTerminalSession(['get', 'acme/Barred-GGUF'], hearth.home);
    try {
      await first.expect(/acme\/barred Q8_0, 60\.0 MB/);
      await first.expect(/Downloading \[[^\]]+\] +[1-9]\d? % +\d.* of 60\.0 MB, .*B\/s, .* left/);
      first.type('\u0003');
      await first.expect(/Paused at \d+ %\. Continue with `hearth get acme\/Barred-GGUF`\./);
      expect(await first.exit()).toBe(130);
    } finally {
      first.close();
    }
    const [paused] = await jobs();
    expect(paused).toMatchObject({ status: 'paused', model: 'acme/barred' });
    hub.faults.clear();
    const second = openTerminalSession(['get', 'acme/Barred-GGUF'], hearth.home);
    try {
      await second.expect(
        /Downloaded acme\/barred Q8_0\. Run `hearth chat acme\/barred` to chat with it\./,
      );
      expect(await second.exit()).toBe(0);
    } finally {
      second.close();
    }
    const [completed] = await jobs();
    expect(completed).toMatchObject({ job_id: paused?.['job_id'], status: 'completed' });
  });

  it('lets the user choose from the matches for words', async () => {
    const terminal = openTerminalSession(['get', 'zebra', 'wanted'], hearth.home);
    try {
      await terminal.expect(/1 +zebra\/Wanted-GGUF .*5,000[\s\S]*2 +zebra\/Other-Wanted-GGUF/);
      await terminal.expect(/Download which model\? \[1-2, Enter to cancel\] $/);
      terminal.type('7\r');
      await terminal.expect(/Download which model\?.*\] $/);
      terminal.type('1\r');
      await terminal.expect(/Downloaded zebra\/wanted Q8_0\./);
      expect(await terminal.exit()).toBe(0);
    } finally {
      terminal.close();
    }
  });

  it.each([
    ['Enter', '\r', 0],
    ['Ctrl-D', '\u0004', 0],
    ['Ctrl-C', '\u0003', 130],
  ])('downloads nothing after %s', async (_, key, exitCode) => {
    const before = await jobs();
    const terminal = openTerminalSession(['get', 'zebra other'], hearth.home);
    try {
      await terminal.expect(/Download which model\?.*\] $/);
      terminal.type(key);
      expect(await terminal.exit()).toBe(exitCode);
    } finally {
      terminal.close();
    }
    expect(await jobs()).toEqual(before);
  });
});

describe('hearth get in a pipe', () => {
  // covers cli-4
  it('writes plain lines, and the model can chat', async () => {
    const { exitCode, stdout, stderr } = await run('get', 'acme/Piped-GGUF@q8_0');
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: 'Downloaded acme/piped Q8_0. Run `hearth chat acme/piped` to chat with it.\n',
    });
    expect(stderr).toMatch(/^acme\/piped Q8_0, \d\.\d MB\nLicense: unknown\nDownloading \d+ % /);
    expect(stderr).not.toContain('\u001b');
    const answer = await run('chat', 'acme/piped', '-p', 'What is the capital of France?');
    expect(answer.stdout).toBe('The capital of France is Paris.\n');
    const again = await run('get', 'acme/Piped-GGUF', '--json');
    expect(again.exitCode).toBe(0);
    expect(JSON.parse(again.stdout)).toEqual({
      status: 'already_downloaded',
      model: 'acme/piped',
      quantization: 'Q8_0',
    });
  });

  it('reports which of several models it takes, and accepts the URL of a file', async () => {
    const first = await run('get', 'acme/Several-GGUF');
    expect(first.stdout).toMatch(/^Downloaded acme\/several Q8_0\./);
    expect(first.stderr).toContain(
      'Took "first-Q8_0.gguf", one of 2 models in the repository; for another, give the URL of its file',
    );
    const second = await run('get', `${hub.url}/acme/Several-GGUF/blob/main/second-Q8_0.gguf`);
    expect(second.stdout).toMatch(/^Downloaded acme\/second Q8_0\./);
    expect(second.stderr).not.toContain('Took');
  });

  it('exits with 1 if the download fails, and continues when it is run again', async () => {
    hub.faults.add({ kind: 'status', status: 404, path: 'failing-Q8_0.gguf' });
    const failed = await run('get', 'acme/Failing-GGUF', '--json');
    expect(failed.exitCode).toBe(1);
    expect(JSON.parse(failed.stdout)).toMatchObject({ status: 'failed' });
    expect(failed.stderr).toMatch(
      /^error: The download failed: .*`hearth get acme\/Failing-GGUF`/m,
    );
    hub.faults.clear();
    const again = await run('get', 'acme/Failing-GGUF', '--json');
    expect(again.exitCode).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({
      job_id: (JSON.parse(failed.stdout) as { job_id: string }).job_id,
      status: 'completed',
    });
  });

  it.each([
    [['no-such/repository'], 1, /^error: .*no-such\/repository/m],
    [['acme/Piped-GGUF@q2_k'], 1, /^error: .*q2_k.*Q8_0/im],
    [['xyzzy'], 1, /^error: No model matches "xyzzy"/m],
    [['zebra'], 2, /Nothing was downloaded/],
  ])('get %j ends with %d', async (commandLine, exitCode, message) => {
    const outcome = await run('get', ...commandLine);
    expect(outcome.exitCode).toBe(exitCode);
    expect(outcome.stderr).toMatch(message);
    expect(outcome.stderr).not.toContain('    at ');
  });

  // covers cli-5
  it('searches', async () => {
    const { exitCode, stdout } = await run('get', '--search', 'zebra', '--json');
    expect(exitCode).toBe(0);
    const { models } = JSON.parse(stdout) as { models: { id: string; source: string }[] };
    expect(models.map(({ id, source }) => `${source} ${id}`)).toEqual([
      'hub zebra/Wanted-GGUF',
      'hub zebra/Other-Wanted-GGUF',
    ]);
  });

  it('continues after the server was killed and restarted on another port', async () => {
    hub.faults.add(slow);
    const following = run('get', 'acme/Restarted-GGUF');
    const idOf = async () =>
      String((await jobs()).find(({ model }) => model === 'acme/restarted')?.['job_id']);
    // Waits until the command polls the job, so it knows the job's id.
    await expect
      .poll(async () => hearth.log().includes(`download/status/${await idOf()}`), {
        timeout: 20_000,
      })
      .toBe(true);
    await hearth.kill();
    await hearth.restart();
    hub.faults.clear();
    const { exitCode, stdout } = await following;
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: 'Downloaded acme/restarted Q8_0. Run `hearth chat acme/restarted` to chat with it.\n',
    });
  });
});

describe('hearth download', () => {
  it('lists, pauses, resumes and cancels background downloads', async () => {
    hub.faults.add({ ...slow });
    const detached = await run('get', 'acme/Detached-GGUF', '-d');
    expect(detached.exitCode).toBe(0);
    const id = detached.stdout.trim();
    expect(id).toMatch(/^job_[0-9a-f]{10}$/);
    const list = await run('download', 'ls');
    expect(list.stdout).toMatch(
      new RegExp(`^${id} +acme/detached +Q8_0 +downloading +\\d+ % +60\\.0 MB`, 'm'),
    );
    const paused = await run('download', 'pause', id);
    expect(paused.stdout).toMatch(/^Paused acme\/detached: .* of 60\.0 MB\n$/);
    const twice = await run('download', 'pause', id);
    expect(twice).toMatchObject({ exitCode: 1, stdout: '' });
    const resumed = await run('download', 'resume', id, '--json');
    expect(JSON.parse(resumed.stdout)).toMatchObject({ job_id: id, status: 'downloading' });
    const cancelled = await run('download', 'cancel', id);
    expect(cancelled.stdout).toBe(`Cancelled ${id} and deleted its files\n`);
    const gone = await run('download', 'cancel', id);
    expect(gone).toMatchObject({ exitCode: 1 });
    expect(gone.stderr).toContain(id);
  });
});

describe('hearth run with an id of the catalog', () => {
  it('names the command that downloads it, and on a terminal offers the download, then chats', async () => {
    const piped = await run('run', 'smollm2-360m', '-p', 'Hello!');
    expect(piped).toMatchObject({ exitCode: 1, stdout: '' });
    expect(piped.stderr).toBe(
      'error: smollm2-360m is not downloaded (390 MB, license apache-2.0). Download it with `hearth get smollm2-360m`.\n',
    );
    const declined = openTerminalSession(['run', 'smollm2-360m'], hearth.home);
    try {
      await declined.expect(/Download it\? \[y\/N\] /);
      declined.type('\r');
      expect(await declined.exit()).toBe(0);
    } finally {
      declined.close();
    }
    const session = openTerminalSession(['run', 'SmolLM2-360M'], hearth.home);
    try {
      await session.expect(
        /smollm2-360m is not on this machine \(390 MB, license apache-2\.0, from HuggingFaceTB\/[\w-]+\)\./,
      );
      await session.expect(/Download it\? \[y\/N\] /);
      session.type('y\r');
      await session.expect(/Chatting with huggingfacetb\/smollm2-360m-instruct\./);
    } finally {
      session.close();
    }
    const again = await run('run', 'smollm2-360m', '-p', 'Hello!', '--reasoning', 'off');
    expect(again.stderr).not.toContain('error');
    expect(again.exitCode).toBe(0);
  });
});
