import { join } from 'node:path';
import * as z from 'zod';
import { chatRequestSchema } from '../../api/v1/chat/chat-schema.ts';
import { withFileLock } from '../../platform/files/file-lock.ts';
import { parseJsonDocument } from '../../kernel/json-document.ts';
import { readIfPresent, replacePrivateFile } from '../../platform/files/private-file.ts';
import { CommandError } from '../failure.ts';
import { formatPath } from '../ui/format-path.ts';

const chatPresetSchema = chatRequestSchema
  .pick({
    system_prompt: true,
    temperature: true,
    top_p: true,
    top_k: true,
    min_p: true,
    repeat_penalty: true,
    max_output_tokens: true,
    reasoning: true,
    context_length: true,
  })
  .partial();
// Files may have settings of loads, which the server took over.
const presetSchema = z.looseObject({ chat: chatPresetSchema.optional() });
const fileSchema = z.object({ models: z.record(z.string(), presetSchema) });

export type ChatPreset = z.infer<typeof chatPresetSchema>;
/** Settings that the user saved for a model. */
export type Preset = z.infer<typeof presetSchema>;

const presetFile = (home: string): string => join(home, 'presets.json');

/**
 * Reads the preset of a model from `presets.json` in the home folder; empty if there is none.
 *
 * @throws CommandError if the file is invalid.
 */
export async function readPreset(home: string, model: string): Promise<Preset> {
  return (await readPresets(home)).models[model.toLowerCase()] ?? {};
}

/** Adds settings to the preset of a model, or replaces them. @throws as `readPreset` */
export async function savePreset(home: string, model: string, preset: Preset): Promise<void> {
  const file = presetFile(home);
  // Another command may save a preset at the same time.
  await withFileLock(file, async () => {
    const { models } = await readPresets(home);
    const key = model.toLowerCase();
    const changed = { models: { ...models, [key]: { ...models[key], ...preset } } };
    await replacePrivateFile(file, `${JSON.stringify(changed, null, 2)}\n`);
  });
}

async function readPresets(home: string): Promise<z.infer<typeof fileSchema>> {
  const file = presetFile(home);
  const text = await readIfPresent(file);
  if (text === undefined) return { models: {} };
  const parsed = z.string().transform(parseJson).pipe(fileSchema).safeParse(text);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`;
  throw new CommandError(
    `${formatPath(file)} is invalid${place}: ${issue?.message ?? 'not JSON'}. Correct it, or delete the file.`,
  );
}

function parseJson(text: string): unknown {
  try {
    return parseJsonDocument(text).value;
  } catch {
    return undefined;
  }
}
