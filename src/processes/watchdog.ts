/**
 * A process of its own that outlives Hearth for a moment: it reads `+<pid> <folder>` and `-<pid>` lines and,
 * when the pipe closes because Hearth has gone (even by SIGKILL), kills the engines and plugins that are left and removes
 * the folders of their sockets.
 */
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { killGroup } from './kill-group.ts';

/** Folder by process id; empty where there is none. */
const guarded = new Map<number, string>();

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const [, sign, digits, folder = ''] = /^([+-])(\d+)(?: (.*))?$/.exec(line) ?? [];
    const pid = Number(digits);
    if (!Number.isSafeInteger(pid) || pid <= 1) return;
    if (sign === '+') guarded.set(pid, folder);
    else guarded.delete(pid);
  })
  .on('close', () => {
    for (const pid of guarded.keys()) killGroup(pid, 'SIGKILL');
    for (const folder of guarded.values()) {
      // Nobody is left to tell.
      if (folder !== '') void rm(folder, { recursive: true, force: true }).catch(() => {});
    }
  });
