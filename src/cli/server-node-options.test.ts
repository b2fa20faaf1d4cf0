import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageFolder } from '../platform/files/package-folder.ts';
import { serverNodeOptions } from './server-node-options.ts';

it.each(['deploy/Dockerfile', 'package.json'])(
  '%s starts the server with the same options',
  async (file) => {
    const text = await readFile(join(packageFolder, file), 'utf8');
    for (const option of serverNodeOptions) expect(text).toContain(option);
  },
);
