import { stat } from 'node:fs/promises';
import { packageFolder } from '../../platform/files/package-folder.ts';
import { join } from 'node:path';
import { ok, problem, type DoctorContext, type Finding } from './check.ts';

const toleratedMs = 24 * 3600 * 1000;

/** Whether the clock is not earlier than this version of Hearth: TLS and tokens depend on it. */
export async function checkClock({ home }: DoctorContext): Promise<readonly Finding[]> {
  const files = [join(packageFolder, 'package.json'), join(home, 'hearth.db')];
  const times = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  return [describeClock(Date.now(), Math.max(...times))];
}

/** @param latestFileMs Time of the newest file, which can't be in the future. */
export function describeClock(nowMs: number, latestFileMs: number): Finding {
  if (nowMs >= latestFileMs - toleratedMs)
    return ok(`The time is ${new Date(nowMs).toISOString()}.`);
  return problem(
    `The time is ${new Date(nowMs).toISOString()}, earlier than files of Hearth (${new Date(latestFileMs).toISOString()}).`,
    'Set the clock. With a wrong time, TLS connections fail and tokens expire.',
  );
}
