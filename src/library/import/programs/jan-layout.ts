import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import * as z from 'zod';
import { ignoreUnreadable, readFolder, subfolders } from '../../folder-entries.ts';
import { folderNameFrom } from '../../folder-name.ts';
import { corruptFile } from '../../gguf/byte-source.ts';
import { parseModelFileName } from '../../model-file-name.ts';
import { readTextFile } from '../../read-json-file.ts';
import { statFile } from '../../scanned-file.ts';
import { repositoryNameFrom } from '../find-in-file.ts';
import { findInRepository } from '../find-in-repository.ts';
import type { FoundSources } from '../import-source.ts';
import { joinFound, xdgFolder, type ProgramLayout } from './program.ts';

const modelSchema = z.object({ model_path: z.string(), mmproj_path: z.string().nullish() });
const maxBytes = 64 * 1024;
const maxDepth = 4;

/**
 * `llamacpp/models/<id>/model.yml` in the data folder of Jan; an id has one or more parts. `model_path` and
 * `mmproj_path` are absolute, or relative to the data folder.
 *
 * Source: `extensions/llamacpp-extension/src/index.ts` and the documentation "Data folder" of Jan.
 */
export const janLayout: ProgramLayout = {
  label: 'Jan',
  async folders(place) {
    const { environment, homeFolder, platform } = place;
    const data =
      platform === 'darwin'
        ? join(homeFolder, 'Library/Application Support')
        : platform === 'win32'
          ? environment['APPDATA'] || join(homeFolder, 'AppData/Roaming')
          : xdgFolder(place, 'XDG_DATA_HOME');
    return [join(data, 'Jan/data'), join(homeFolder, 'jan')].map((one) =>
      join(one, 'llamacpp/models'),
    );
  },
  async find(folder, signal) {
    const found: FoundSources[] = [];
    for (const holder of await findModelFolders(folder, 0))
      found.push(await findModel(folder, holder, signal));
    return joinFound(found);
  },
};

async function findModelFolders(folder: string, depth: number): Promise<string[]> {
  const content = await readFolder(folder, ignoreUnreadable);
  if (content.entries.some(({ name }) => name === 'model.yml')) return [folder];
  if (depth >= maxDepth) return [];
  const inner = (await subfolders(content)).map(({ path }) => findModelFolders(path, depth + 1));
  return (await Promise.all(inner)).flat();
}

async function findModel(
  modelsFolder: string,
  holder: string,
  signal: AbortSignal,
): Promise<FoundSources> {
  const description = join(holder, 'model.yml');
  const id = relative(modelsFolder, holder).split(sep).filter(Boolean);
  const own = id.at(-1) ?? basename(holder);
  const publisher = id.length > 1 ? folderNameFrom(id[0] ?? '') : '';
  const leaveOut = (reason: string): FoundSources => ({
    sources: [],
    leftOut: [
      { name: relative(modelsFolder, description), error: corruptFile('model.yml', reason) },
    ],
  });
  const model = await readDescription(description, signal);
  if (model === undefined) return leaveOut('names no model');
  const dataFolder = dirname(dirname(modelsFolder));
  const resolved = (path: string) => (isAbsolute(path) ? path : join(dataFolder, path));
  const { base } = parseModelFileName(own);
  // Jan names each file `model.gguf` and each projector `mmproj.gguf`, so the id replaces these names.
  const name = `${own.replace(/[-_.]?gguf$/i, '') || own}.gguf`;
  const parts = await findParts(resolved(model.model_path), name);
  if (parts.length === 0) return leaveOut('names weights that do not exist');
  const projector = model.mmproj_path
    ? await statFile(resolved(model.mmproj_path), `mmproj-${name}`)
    : null;
  const repo = repositoryNameFrom(base || own);
  return findInRepository(
    {
      root: { folder: holder },
      publisher,
      name: repo,
      folder: holder,
      files: [...parts, ...(projector === null ? [] : [projector])],
    },
    { publisher: publisher || null, repo, start: modelsFolder, isNamedByScan: true },
    signal,
  );
}

/** Finds the file, or all parts of a split model; parts keep their names. */
async function findParts(path: string, name: string) {
  if (parseModelFileName(basename(path)).part === null) {
    const file = await statFile(path, name);
    return file === null ? [] : [file];
  }
  const { entries } = await readFolder(dirname(path), ignoreUnreadable);
  const whole = (one: string) => one.replace(/-\d{5}-of-/, '');
  const parts = entries.filter((entry) => whole(entry.name) === whole(basename(path)));
  const files = parts.map((entry) => statFile(join(dirname(path), entry.name), entry.name));
  return (await Promise.all(files)).filter((file) => file !== null);
}

async function readDescription(path: string, signal: AbortSignal) {
  // Imported when needed: few users have Jan, and the import is slow.
  const { parse } = await import('yaml');
  try {
    return modelSchema.safeParse(parse(await readTextFile(path, maxBytes, signal))).data;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
