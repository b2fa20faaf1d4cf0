import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes a GGUF file as the model `publisher/name` into a home folder. @returns The path of the file. */
export async function placeModel(home: string, key: string, bytes: Uint8Array): Promise<string> {
  const folder = join(home, 'models', key);
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'model-q8_0.gguf');
  await writeFile(path, bytes);
  return path;
}
