import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { bundleScript } from '../../../test/setup/engine/test-engines.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { killGroup } from './kill-group.ts';
import { createWatchdogLink } from './watchdog-link.ts';
import { useTemporaryFolder } from '../../../test/setup/temporary-folder.ts';

const logger = createLogger('silent');
const scripts = useTemporaryFolder();
let script: string;

beforeAll(async () => {
  script = await bundleScript('src/platform/processes/watchdog.ts', scripts.path);
});

function startSleeper(): { child: ChildProcess; pid: number; exited: Promise<unknown[]> } {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true });
  return { child, pid: child.pid ?? 0, exited: once(child, 'exit') };
}

it('kills only the guarded processes when the pipe closes', async () => {
  const link = createWatchdogLink(script, logger);
  const folder = await mkdtemp(join(tmpdir(), 'hearth-watchdog test-'));
  const second = await mkdtemp(join(tmpdir(), 'hearth-watchdog-test-'));
  const guarded = startSleeper();
  const withoutFolder = startSleeper();
  const released = startSleeper();
  link.guard(released.pid);
  link.guard(guarded.pid, [folder, second]);
  link.guard(withoutFolder.pid);
  link.release(released.pid);
  await link.close();
  expect(await guarded.exited).toEqual([null, 'SIGKILL']);
  expect(await withoutFolder.exited).toEqual([null, 'SIGKILL']);
  expect(released.child.exitCode).toBeNull();
  expect(existsSync(folder)).toBe(false);
  expect(existsSync(second)).toBe(false);
  killGroup(released.pid, 'SIGTERM');
  expect(await released.exited).toEqual([null, 'SIGTERM']);
});

it('closes without a watchdog if no process was guarded', async () => {
  const link = createWatchdogLink(script, logger);
  link.release(12_345);
  await expect(link.close()).resolves.toBeUndefined();
});

it('works without a watchdog if it cannot be started', async () => {
  const link = createWatchdogLink('/no/such/watchdog.js', logger);
  const sleeper = startSleeper();
  link.guard(sleeper.pid);
  await expect(link.close()).resolves.toBeUndefined();
  killGroup(sleeper.pid, 'SIGTERM');
  await sleeper.exited;
  // The process has exited: close sends no signal and does not throw.
  killGroup(sleeper.pid, 'SIGTERM');
});
