import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { placeEndlessModel } from '../../setup/models/endless-model.ts';
import { projectFolder } from '../../setup/project-folder.ts';
import { useHearth } from '../../setup/server/use-hearth.ts';
import { environmentFolder } from '../environment-folder.ts';
import { run } from '../run.ts';

/** Runs the pytest files in this folder and below, one per client, against one server. */

const hearth = useHearth(async (home) => {
  await placeEndlessModel(home);
});
const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
  (path) => /^test_.*\.py$/.test(basename(path)),
);

// covers api-12
it.for(files)('%s', async (file, { task }) => {
  const program = join(environmentFolder(`python/${file}`), 'bin/pytest');
  const options = `-q -rA -p no:cacheprovider --confcutdir ${import.meta.dirname}`;
  const output = await run(program, [...options.split(' '), join(import.meta.dirname, file)], {
    HEARTH_URL: hearth.url,
    PYTHONPYCACHEPREFIX: join(projectFolder, '.cache/clients/bytecode'),
  });
  expect(output).toMatch(/\d+ passed/);
  task.meta.passed = [...output.matchAll(/^PASSED \S+::(\w+)/gm)].map(([, name = '']) => name);
});
