import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { readIfPresent, replacePrivateFile } from '../../private-file.ts';

const selectionSchema = z.object({
  name: z.string().min(1).max(200),
  version: z.string().min(1).max(100),
});

/** The installed runtime that the user selected. */
type RuntimeSelection = z.infer<typeof selectionSchema>;

const fileIn = (runtimesFolder: string): string => join(runtimesFolder, 'selected.json');

/** @returns undefined if there is no selection, or its file is invalid. */
export async function readSelection(runtimesFolder: string): Promise<RuntimeSelection | undefined> {
  const content = await readIfPresent(fileIn(runtimesFolder));
  if (content === undefined) return undefined;
  return z.string().transform(parseJson).pipe(selectionSchema).safeParse(content).data;
}

/** Selects a runtime, or none. */
export async function writeSelection(
  runtimesFolder: string,
  selection: RuntimeSelection | undefined,
): Promise<void> {
  const file = fileIn(runtimesFolder);
  if (selection === undefined) await rm(file, { force: true });
  else await replacePrivateFile(file, `${JSON.stringify(selection, null, 2)}\n`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
