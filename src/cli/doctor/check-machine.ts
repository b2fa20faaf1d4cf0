import { stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../../kernel/error-code.ts';
import { formatBytes } from '../../kernel/format.ts';
import { formatPath } from '../ui/format-path.ts';
import { type DoctorContext, type Finding, ok, problem, warning } from './check.ts';
import { packageFolder } from '../../platform/files/package-folder.ts';

const scarceBytes = 500e6;
const littleBytes = 5e9;

/** Checks that the disk of the models has enough space. */
export async function checkDisk({ modelsFolder }: DoctorContext): Promise<readonly Finding[]> {
  const { bavail, bsize } = await statOfDisk(modelsFolder);
  return [describeSpace(bavail * bsize, formatPath(modelsFolder))];
}

/** @param freeBytes Free bytes on the disk of the folder. */
export function describeSpace(freeBytes: number, folder: string): Finding {
  const message = `${formatBytes(freeBytes)} are free on the disk of ${folder}.`;
  const remedy = 'Delete models with `hearth rm`, or move the models to another disk (models.dir).';
  if (freeBytes < scarceBytes) return problem(message, remedy);
  return freeBytes < littleBytes ? warning(message, remedy) : ok(message);
}

/** If the folder does not exist yet, uses its parent, which is on the same disk. */
async function statOfDisk(
  folder: string,
): Promise<{ readonly bavail: number; readonly bsize: number }> {
  try {
    return await statfs(folder);
  } catch (error) {
    const parent = dirname(folder);
    if (errorCode(error) !== 'ENOENT' || parent === folder) throw error;
    return statOfDisk(parent);
  }
}

const toleratedMs = 24 * 3600 * 1000;

/** Checks that the clock is not earlier than this version of Hearth, since TLS and tokens depend on the time. */
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

/** Checks that the proxy variables are valid and exclude this machine. */
export async function checkProxy({ environment }: DoctorContext): Promise<readonly Finding[]> {
  return describeProxy(environment);
}

export function describeProxy(
  environment: Readonly<Record<string, string | undefined>>,
): readonly Finding[] {
  const valueOf = (name: string): string | undefined =>
    environment[name.toLowerCase()] || environment[name] || undefined;
  const proxies = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'].flatMap((name) => {
    const value = valueOf(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  if (proxies.length === 0) return [ok('No proxy is set.')];
  const invalid = proxies.filter(([, value]) => !URL.canParse(value));
  if (invalid.length > 0) {
    return invalid.map(([name]) =>
      problem(`${name} is not a URL.`, `Set ${name} to a URL such as http://proxy.example:3128.`),
    );
  }
  const excluded = (valueOf('NO_PROXY') ?? '').split(/[\s,]+/);
  const names = proxies.map(([name]) => name).join(', ');
  if (excluded.includes('*') || excluded.includes('127.0.0.1') || excluded.includes('localhost')) {
    return [ok(`${names} is set, and excludes this machine.`)];
  }
  return [
    warning(
      `${names} is set, and NO_PROXY does not exclude this machine.`,
      'Other programs may send requests for Hearth to the proxy: set NO_PROXY=localhost,127.0.0.1.',
    ),
  ];
}
