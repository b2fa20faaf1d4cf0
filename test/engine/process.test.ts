import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Engine } from '../../src/engines/engine.ts';
import { isRunning } from '../setup/processes/is-running.ts';
import {
  bundleScript,
  createTestEngines,
  generateAll,
  starterSpec,
  type TestEngines,
} from '../setup/engine/test-engines.ts';
import { testContext } from '../setup/test-context.ts';
import { temporaryFolder, useTemporaryFolder } from '../setup/temporary-folder.ts';

const request = {
  kind: 'completion',
  prompt: 'Once upon a time',
  sampling: { temperature: 0, logitBias: { '0': -100, '2': -100 } },
} as const;

let engines: TestEngines;
const folder = useTemporaryFolder();

beforeAll(async () => {
  // A separate temporary folder, since other tests start engines at the same time.
  vi.stubEnv('TMPDIR', folder.path);
  engines = await createTestEngines();
});
afterAll(async () => {
  await engines.close();
  vi.unstubAllEnvs();
});

async function socketFolders(): Promise<readonly string[]> {
  const names = await readdir(folder.path);
  return names.filter((name) => /^hearth-.{6}$/u.test(name));
}

it('leaves neither process nor socket folder when it is stopped', async () => {
  const engine = await engines.launch('chat');
  expect(await socketFolders()).toHaveLength(process.platform === 'win32' ? 0 : 1);
  expect((await engine.stats()).residentBytes).toBeGreaterThan(10_000_000);
  await engine.stop();
  expect(await isRunning(engine.pid)).toBe(false);
  expect(await socketFolders()).toEqual([]);
  await expect(engine.closed).resolves.toMatchObject({ signal: 'SIGTERM' });
  await engine.stop();
});

it('ends an engine that waits for the end of its standard input', async () => {
  // As llama-server does, whose thread for commands of a parent reads there.
  const source = `
    const { createServer } = require('node:http');
    createServer((_request, response) => response.end('{}')).listen(process.argv[1]);
    const terminated = new Promise((resolve) => process.once('SIGTERM', resolve));
    const ended = new Promise((resolve) => process.stdin.resume().once('end', resolve));
    void Promise.all([terminated, ended]).then(() => process.exit(0));
  `;
  const runtime = { ...(await starterSpec('chat')).runtime, command: process.execPath };
  const engine = await engines.launch('chat', {
    runtime: { ...runtime, leadingArguments: ['-e', source] },
    program: {
      buildArguments: (_spec, endpoint) =>
        endpoint.type === 'socket' ? [endpoint.socketPath] : [String(endpoint.port)],
      buildVariables: () => ({}),
      requestCapabilities: async () => ({
        runtimeName: 'test',
        runtimeVersion: '1',
        supportedFormats: ['gguf'],
        contextLength: 2048,
      }),
      createEngine: () => ({}) as Engine,
    },
  });
  await engine.stop();
  await expect(engine.closed).resolves.toMatchObject({ exitCode: 0, signal: null });
});

it('reports the load progress', async () => {
  const fractions: number[] = [];
  const spec = await starterSpec('vision');
  const { signal } = new AbortController();
  await engines.launcher.launch(spec, signal, (fraction) => fractions.push(fraction));
  expect(fractions.length).toBeGreaterThan(1);
  expect(fractions).toEqual(fractions.toSorted((left, right) => left - right));
  expect(fractions.at(-1)).toBe(1);
});

it('fails its requests with `crashed` when it dies, and reports the exit', async () => {
  const engine = await engines.launch('chat');
  const generation = async (): Promise<void> => {
    let isKilled = false;
    for await (const event of engine.engine.generate(request, testContext())) {
      if (event.type !== 'content.delta' || isKilled) continue;
      isKilled = process.kill(engine.pid, 'SIGKILL');
    }
  };
  await expect(generation).rejects.toMatchObject({ code: 'crashed', status: 503 });
  await expect(engine.closed).resolves.toMatchObject({ exitCode: null, signal: 'SIGKILL' });
  await expect(generateAll(engine.engine, request)).rejects.toMatchObject({ code: 'crashed' });
  await expect(engine.engine.embed(['a'], testContext())).rejects.toMatchObject({
    code: 'crashed',
  });
});

it('never reports a rejected request as the reason of its exit', async () => {
  const engine = await engines.launch('chat');
  const tooLong = { ...request, prompt: 'hello '.repeat(2_500) };
  await expect(generateAll(engine.engine, tooLong)).rejects.toMatchObject({
    code: 'context_length_exceeded',
  });
  process.kill(engine.pid, 'SIGSEGV');
  await expect(engine.closed).resolves.toMatchObject({ reason: 'ended by SIGSEGV' });
});

it.each([1, 4])('runs with the smallest batch and %i slots', async (parallel) => {
  const engine = await engines.launch('chat', { evalBatchSize: 1, parallel });
  const { content } = await generateAll(engine.engine, { ...request, maxTokens: 8 });
  expect(content).not.toBe('');
  await engine.stop();
});

it('exits with its parent, even after SIGKILL', async () => {
  const scripts = await temporaryFolder();
  const watchdog = await bundleScript('src/platform/processes/watchdog.ts', scripts);
  const parent = await bundleScript('test/engine/orphan-parent.ts', scripts);
  const spec = JSON.stringify(await starterSpec('chat'));
  const child = spawn(process.execPath, [parent, watchdog, spec]);
  const [output]: Buffer[] = await once(child.stdout, 'data');
  const pid = Number(output?.toString());
  expect(await isRunning(pid)).toBe(true);
  child.kill('SIGKILL');
  await vi.waitFor(async () => expect(await isRunning(pid)).toBe(false), { timeout: 30_000 });
});

it('stops all engines when the launcher is closed, and starts no more', async () => {
  const others = await createTestEngines();
  const started = await Promise.all([others.launch('chat'), others.launch('embed')]);
  await others.close();
  for (const { pid } of started) expect(await isRunning(pid)).toBe(false);
  await expect(others.launch('chat')).rejects.toMatchObject({ code: 'shutting_down' });
});
