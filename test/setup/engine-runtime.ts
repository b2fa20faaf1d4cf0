import { execFile } from 'node:child_process';
import { access, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Runtime } from '../../src/engine/runtimes/runtime.ts';

const run = promisify(execFile);
const projectFolder = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const cacheFolder = join(projectFolder, '.cache', 'test-runtime');
const launcherPath = join(projectFolder, 'src', 'engine', 'runtimes', 'wheel-launcher.py');
const wheelVersion = '2026.10.11549';
const runtimeFolder = join(cacheFolder, wheelVersion);
const lockFolder = join(cacheFolder, 'lock');
const installTimeoutMs = 300_000;
const lockPollMs = 200;

/**
 * The engine that tests run on: the wheel, installed once into `.cache/test-runtime/`. Several test
 * processes may ask at the same time; one installs, the others wait.
 */
export async function testRuntime(): Promise<Runtime> {
  await mkdir(cacheFolder, { recursive: true });
  const python = await findPython();
  if (!(await exists(runtimeFolder))) await installOnce(python);
  return {
    name: `llama.cpp-${process.platform}-${process.arch}-cpu`,
    version: 'b11549',
    supportedFormats: ['gguf'],
    source: 'wheel',
    command: python,
    leadingArguments: ['-I', launcherPath, '--runtime-folder', runtimeFolder],
    folder: runtimeFolder,
  };
}

/** The interpreter itself: version managers put a slow script of that name on `PATH`. */
async function findPython(): Promise<string> {
  const { stdout } = await run('python3', ['-c', 'import sys; print(sys.executable)']);
  return stdout.trim();
}

async function installOnce(python: string): Promise<void> {
  while (!(await takeLock())) {
    if (await exists(runtimeFolder)) return;
    await delay(lockPollMs);
  }
  try {
    if (await exists(runtimeFolder)) return;
    const partFolder = `${runtimeFolder}.part`;
    await rm(partFolder, { recursive: true, force: true });
    await run(
      python,
      ['-m', 'pip', 'install', '--no-deps', '--target', partFolder, `xllamacpp==${wheelVersion}`],
      { timeout: installTimeoutMs },
    );
    await rename(partFolder, runtimeFolder);
  } finally {
    await rm(lockFolder, { recursive: true, force: true });
  }
}

/** A folder is made by one process only; a lock whose owner has died is taken over. */
async function takeLock(): Promise<boolean> {
  const ownerPath = join(lockFolder, 'owner');
  try {
    await mkdir(lockFolder);
    await writeFile(ownerPath, String(process.pid));
    return true;
  } catch {
    const owner = Number(await readFile(ownerPath, 'utf8').catch(() => '0'));
    const age =
      Date.now() - (await stat(lockFolder).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs;
    if (age > lockPollMs * 10 && !isRunning(owner)) {
      await rm(lockFolder, { recursive: true, force: true });
    }
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
