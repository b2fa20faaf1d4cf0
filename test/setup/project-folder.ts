import { join } from 'node:path';

/** The root of the repository. */
export const projectFolder = join(import.meta.dirname, '../..');
