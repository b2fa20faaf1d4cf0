import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { hasDeployTools } from '../setup/deploy/render-chart.ts';
import { composeProblems } from '../setup/deploy/schemas.ts';
import { projectFolder } from '../setup/project-folder.ts';

it.runIf(hasDeployTools).each(['compose.yaml', 'cluster/compose.yaml'])(
  'the specification of Compose allows %s',
  async (name) => {
    const text = await readFile(join(projectFolder, 'deploy', name), 'utf8');
    const file = parse(text, { merge: true });
    expect(composeProblems(file)).toEqual([]);
    const [service] = Object.keys(file.services);
    file.services[service ?? ''].read_onyl = true;
    expect(composeProblems(file)).not.toEqual([]);
  },
);
