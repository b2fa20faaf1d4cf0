import { join } from 'node:path';
import { projectFolder } from '../setup/project-folder.ts';
import { clientsFolder } from './run.ts';

/**
 * The Python environment of a test, which `scripts/install-clients.sh` makes: each folder of `python/` has its own.
 *
 * @param file such as `python/test_openai.py` or `python/instructor/test_instructor.py`
 */
export function environmentFolder(file: string): string {
  const [, name = ''] = /^python\/(.*)\//.exec(file) ?? [];
  return name === '' ? join(clientsFolder, '.venv') : join(projectFolder, '.cache/clients', name);
}
