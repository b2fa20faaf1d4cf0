import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../project-folder.ts';

const fixtures = join(projectFolder, 'test', 'fixtures', 'adapters');

export type AdapterName = 'pirate' | 'capitals';

/** The answers of each adapter, by prompt. */
export const adapterAnswers: Readonly<Record<AdapterName, Readonly<Record<string, string>>>> =
  JSON.parse(await readFile(join(fixtures, 'answers.json'), 'utf8'));

export function adapterPath(name: AdapterName): string {
  return join(fixtures, `starter-chat-${name}-lora-f16.gguf`);
}

/** Places an adapter for the starter model as `me/<folder>` in a home folder. @returns The path of the adapter. */
export async function placeAdapter(
  home: string,
  name: AdapterName,
  folder: string = name,
): Promise<string> {
  const path = join(home, 'models', 'me', folder, `${folder}.gguf`);
  await mkdir(join(home, 'models', 'me', folder), { recursive: true });
  await copyFile(adapterPath(name), path);
  return path;
}
