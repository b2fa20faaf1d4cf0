import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findInFolder } from '../find-in-folder.ts';
import type { ProgramLayout } from './program.ts';

/**
 * `<publisher>/<repository>/<files>` in the folder `models` of LM Studio, or in the folder that its settings name.
 * Source: `getLmStudioHome` of lmstudio.js, and the documentation "Import models" of LM Studio.
 */
export const lmStudioLayout: ProgramLayout = {
  label: 'LM Studio',
  async folders({ homeFolder }) {
    const pointer = await readText(join(homeFolder, '.lmstudio-home-pointer'));
    const home = pointer?.trim() || join(homeFolder, '.lmstudio');
    const chosen = downloadsFolder(await readText(join(home, 'settings.json')));
    return [chosen ?? join(home, 'models'), join(homeFolder, '.cache/lm-studio/models')];
  },
  find: findInFolder,
};

async function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

function downloadsFolder(settings: string | undefined): string | undefined {
  try {
    const value: unknown = JSON.parse(settings ?? '');
    if (typeof value !== 'object' || value === null || !('downloadsFolder' in value)) return;
    return typeof value.downloadsFolder === 'string' ? value.downloadsFolder : undefined;
  } catch {
    return undefined;
  }
}
