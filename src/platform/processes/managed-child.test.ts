import { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isRunning } from '../../../test/setup/processes/is-running.ts';
import { filterEnvironment } from './filter-environment.ts';
import { startManagedChild, type ManagedChildOptions } from './managed-child.ts';

let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'hearth-child-')));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function start(script: string, options: Partial<ManagedChildOptions> = {}) {
  let output = '';
  const child = startManagedChild({
    command: process.execPath,
    arguments: ['-e', script],
    environment: {},
    stdin: 'pipe',
    onStdout: (chunk) => {
      output += chunk.toString();
    },
    stopGraceMs: 10_000,
    stderrTail: { maxLines: 3, maxLineCharacters: 20 },
    ...options,
  });
  return { child, output: () => output };
}

/** A method that the types leave out. */
interface Spawning extends ChildProcess {
  spawn(this: ChildProcess): void;
}

/** Reports that it started, and keeps running. */
const stays = 'process.stdout.write("up"); setInterval(() => {}, 1000);';

describe('startManagedChild', () => {
  it('survives a pipe that breaks', async () => {
    const spawned = vi.spyOn(ChildProcess.prototype as unknown as Spawning, 'spawn');
    const { child } = start(stays);
    const [{ stdin, stdout, stderr } = new ChildProcess()] = spawned.mock.contexts;
    spawned.mockRestore();
    for (const pipe of [stdin, stdout, stderr]) pipe?.emit('error', new Error('read ECONNRESET'));
    await child.kill();
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
  });

  it('passes only the configured arguments, environment and folder', async () => {
    const script =
      'process.stdout.write(JSON.stringify([process.env, process.cwd(), process.argv[1]]))';
    const { child, output } = start('', {
      arguments: ['-e', script, '$(echo no shell)'],
      environment: { ONE: '1' },
      workingFolder: folder,
    });
    expect(await child.exited).toEqual({ exitCode: 0, signal: null });
    const [environment, workingFolder, argument] = JSON.parse(output());
    expect(environment).toMatchObject({ ONE: '1' });
    expect(environment).not.toHaveProperty('HOME');
    expect([workingFolder, argument]).toEqual([folder, '$(echo no shell)']);
  });

  it('keeps a bounded tail of stderr', async () => {
    const script = 'for (let i = 0; i < 9; i += 1) console.error(`line ${i} ${"é".repeat(50)}`)';
    const { child } = start(script);
    expect((await child.exited).exitCode).toBe(0);
    expect(child.stderrTail()).toEqual([6, 7, 8].map((i) => `line ${i} ${'é'.repeat(13)}`));
    child.clearStderrTail();
    expect(child.stderrTail()).toEqual([]);
  });

  it('reports why a command could not be started; stop does nothing', async () => {
    const guard = { guard: vi.fn<() => void>(), release: vi.fn<() => void>() };
    const { child } = start('', { command: join(folder, 'missing'), guard });
    expect(child.pid).toBeUndefined();
    await child.stop();
    await child.kill();
    expect(await child.exited).toMatchObject({ exitCode: null, error: { code: 'ENOENT' } });
    expect(guard.guard).not.toHaveBeenCalled();
  });

  it('reports arguments that the system rejects', async () => {
    const { child } = start('', { arguments: ['x'.repeat(10_000_000)] });
    expect(await child.exited).toMatchObject({ error: { code: 'E2BIG' } });
    const { child: other } = start('', { arguments: ['with\0zero'] });
    expect(await other.exited).toMatchObject({ error: expect.any(Error) });
    await other.stop();
  });

  it('registers the process with the guard while it runs', async () => {
    const guard = {
      guard: vi.fn<(pid: number, folders?: readonly string[]) => void>(),
      release: vi.fn<(pid: number) => void>(),
    };
    const { child } = start(stays, { guard, guardedFolders: ['/some/folder'] });
    expect(guard.guard).toHaveBeenCalledExactlyOnceWith(child.pid, ['/some/folder']);
    expect(guard.release).not.toHaveBeenCalled();
    await child.stop();
    expect(guard.release).toHaveBeenCalledExactlyOnceWith(child.pid);
  });

  it('lets the process exit when its standard input closes', async () => {
    const { child, output } = start(
      `${stays} process.on("SIGTERM", () => {}); process.stdin.on("end", () => process.exit(4)).resume()`,
    );
    await vi.waitFor(() => expect(output()).toBe('up'), 10_000);
    child.stdin?.end();
    expect(await child.exited).toEqual({ exitCode: 4, signal: null });
  });

  it('sends SIGTERM first', async () => {
    const { child, output } = start(`process.on("SIGTERM", () => process.exit(5)); ${stays}`);
    await vi.waitFor(() => expect(output()).toBe('up'), 10_000);
    await child.stop();
    expect(await child.exited).toEqual({ exitCode: 5, signal: null });
    await child.stop();
    await child.kill();
  });

  it('sends SIGKILL to the whole group after the grace period', async () => {
    const file = join(folder, 'stubborn');
    const { child } = start(
      `process.on("SIGTERM", () => {});
       const inner = require("node:child_process").spawn("sleep", ["600"]);
       require("node:fs").writeFileSync(${JSON.stringify(file)}, String(inner.pid));
       setInterval(() => {}, 1000);`,
      { stopGraceMs: 100, environment: { PATH: process.env['PATH'] } },
    );
    const inner = Number(await vi.waitFor(() => readPid(file), 10_000));
    await child.stop();
    expect(await child.exited).toEqual({ exitCode: null, signal: 'SIGKILL' });
    await vi.waitFor(async () => expect(await isRunning(inner)).toBe(false), 10_000);
  });

  it('kills the group when the process exits by itself', async () => {
    const file = join(folder, 'leaves-a-child');
    const { child } = start(
      `const inner = require("node:child_process").spawn("sleep", ["600"], { stdio: "inherit" });
       require("node:fs").writeFileSync(${JSON.stringify(file)}, String(inner.pid));
       inner.unref(); process.exit(0);`,
      { environment: { PATH: process.env['PATH'] } },
    );
    expect(await child.exited).toEqual({ exitCode: 0, signal: null });
    const inner = Number(await readPid(file));
    await vi.waitFor(async () => expect(await isRunning(inner)).toBe(false), 10_000);
  });

  it('does not wait for a process that left the group and holds the pipes open', async () => {
    const file = join(folder, 'leaves-the-group');
    const { child } = start(
      `const inner = require("node:child_process").spawn("sleep", ["600"], { stdio: "inherit", detached: true });
       require("node:fs").writeFileSync(${JSON.stringify(file)}, String(inner.pid));
       inner.unref(); process.exit(0);`,
      { environment: { PATH: process.env['PATH'] } },
    );
    expect(await child.exited).toEqual({ exitCode: 0, signal: null });
    process.kill(Number(await readPid(file)), 'SIGKILL');
  });

  it('accepts writes to stdin after the exit', async () => {
    const { child } = start('process.exit(0)');
    await child.exited;
    expect(() => child.stdin?.write('x')).not.toThrow();
  });
});

async function readPid(file: string): Promise<string> {
  const content = await readFile(file, 'utf8');
  expect(content).toMatch(/^\d+$/u);
  return content;
}

describe('filterEnvironment', () => {
  it('selects the named variables that are set', () => {
    expect(filterEnvironment({ A: '1', B: '', SECRET: 'x' }, ['A', 'B', 'C'])).toEqual({
      A: '1',
      B: '',
    });
  });
});
