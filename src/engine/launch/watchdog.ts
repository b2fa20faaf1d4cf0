/**
 * A process of its own that outlives Hearth for a moment: it reads `+<pid>` and `-<pid>` lines and,
 * when the pipe closes because Hearth has gone (even by SIGKILL), kills the engines that are left.
 */
import { createInterface } from 'node:readline';
import { killGroup } from './kill-group.ts';

const guarded = new Set<number>();

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const pid = Number(line.slice(1));
    if (!Number.isSafeInteger(pid) || pid <= 1) return;
    if (line.startsWith('+')) guarded.add(pid);
    if (line.startsWith('-')) guarded.delete(pid);
  })
  .on('close', () => {
    for (const pid of guarded) killGroup(pid, 'SIGKILL');
  });
