import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { placeEndlessModel } from '../../setup/models/endless-model.ts';
import { useHearth } from '../../setup/server/use-hearth.ts';
import { run } from '../run.ts';

/** Runs the pytest files of this folder, each a client, against one server. */

const hearth = useHearth(async (home) => {
  await placeEndlessModel(home);
});
const files = readdirSync(import.meta.dirname).filter((name) => /^test_.*\.py$/.test(name));

// covers api-12
it.each(files)('%s', async (file) => {
  const commandLine = ['-q', '-p', 'no:cacheprovider', join(import.meta.dirname, file)];
  const output = await run('pytest', commandLine, {
    HEARTH_URL: hearth.url,
    PYTHONDONTWRITEBYTECODE: '1',
  });
  expect(output).toMatch(/\d+ passed/);
});
