/**
 * The watchdog, a separate process that briefly outlives Hearth. It reads lines `+<pid> <folder>`, one per folder, and
 * `-<pid>`. When the pipe closes because Hearth has died, even by SIGKILL, it kills the remaining engines, plugins and
 * installers, and removes their folders, such as socket folders.
 */
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { killGroup } from './kill-group.ts';

/** Folders by process id; an empty string if there is none. */
const guarded = new Map<number, string[]>();

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const [, sign, digits, folder = ''] = /^([+-])(\d+)(?: (.*))?$/.exec(line) ?? [];
    const pid = Number(digits);
    if (!Number.isSafeInteger(pid) || pid <= 1) return;
    if (sign === '+') guarded.set(pid, [...(guarded.get(pid) ?? []), folder]);
    else guarded.delete(pid);
  })
  .on('close', () => {
    for (const pid of guarded.keys()) killGroup(pid, 'SIGKILL');
    for (const folder of [...guarded.values()].flat()) {
      // Errors are ignored, since the log no longer exists.
      if (folder !== '') void rm(folder, { recursive: true, force: true }).catch(() => {});
    }
  });
