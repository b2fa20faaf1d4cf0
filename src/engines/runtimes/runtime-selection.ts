import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { parseJson } from '../../kernel/parse-json.ts';
import { readIfPresent, replacePrivateFile } from '../../platform/files/private-file.ts';

const selectionSchema = z.object({
  name: z.string().min(1).max(200),
  version: z.string().min(1).max(100),
});

/** An installed runtime that the user selected. */
export type RuntimeSelection = z.infer<typeof selectionSchema>;

/** A list with one selection per format. Earlier versions wrote a single selection. */
const fileSchema = z.union([
  z.array(selectionSchema).max(10),
  selectionSchema.transform((selection) => [selection]),
]);

const fileIn = (runtimesFolder: string): string => join(runtimesFolder, 'selected.json');

/** @returns An empty list if nothing is selected, or the file is invalid. */
export async function readSelections(runtimesFolder: string): Promise<readonly RuntimeSelection[]> {
  const content = await readIfPresent(fileIn(runtimesFolder));
  if (content === undefined) return [];
  return z.string().transform(parseJson).pipe(fileSchema).safeParse(content).data ?? [];
}

export async function writeSelections(
  runtimesFolder: string,
  selections: readonly RuntimeSelection[],
): Promise<void> {
  const file = fileIn(runtimesFolder);
  if (selections.length === 0) await rm(file, { force: true });
  else await replacePrivateFile(file, `${JSON.stringify(selections, null, 2)}\n`);
}
