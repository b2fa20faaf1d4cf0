import { join } from 'node:path';
import { projectFolder } from '../setup/project-folder.ts';
import { clientsFolder } from './run.ts';

/**
 * The Python environment for a test, created by `scripts/install-clients.sh`. Each folder of `python/` has its own.
 *
 * @param file Such as `python/test_openai.py` or `python/instructor/test_instructor.py`.
 */
export function environmentFolder(file: string): string {
  const [, name = ''] = /^python\/(.*)\//.exec(file) ?? [];
  return name === '' ? join(clientsFolder, '.venv') : join(projectFolder, '.cache/clients', name);
}
