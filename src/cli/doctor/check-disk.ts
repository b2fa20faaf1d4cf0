import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../../kernel/error-code.ts';
import { formatBytes } from '../../kernel/format.ts';
import { formatPath } from '../ui/format-path.ts';
import { ok, problem, warning, type DoctorContext, type Finding } from './check.ts';

const scarceBytes = 500e6;
const littleBytes = 5e9;

/** Whether the disk of the models has room. */
export async function checkDisk({ modelsFolder }: DoctorContext): Promise<readonly Finding[]> {
  const { bavail, bsize } = await statOfDisk(modelsFolder);
  return [describeSpace(bavail * bsize, formatPath(modelsFolder))];
}

/** @param freeBytes on the disk of the folder */
export function describeSpace(freeBytes: number, folder: string): Finding {
  const message = `${formatBytes(freeBytes)} are free on the disk of ${folder}.`;
  const remedy = 'Delete models with `hearth rm`, or move the models to another disk (models.dir).';
  if (freeBytes < scarceBytes) return problem(message, remedy);
  return freeBytes < littleBytes ? warning(message, remedy) : ok(message);
}

/** The folder may not exist yet; its parent then is on the same disk. */
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
