import { toRecordName } from '../../../api/record-name.ts';

interface FilePrompt {
  readonly name: string;
  readonly text: string;
}

/** Parses an exported file, `{"prompts": [{"name", "text"}]}`; undefined if the format is another. */
export function readPromptFile(content: string): readonly FilePrompt[] | undefined {
  try {
    const { prompts } = JSON.parse(content) as { readonly prompts?: unknown };
    if (!Array.isArray(prompts) || !prompts.every(isPrompt)) return undefined;
    return prompts.map(({ name, text }) => ({ name: toRecordName(name), text }));
  } catch {
    return undefined;
  }
}

function isPrompt(value: unknown): value is FilePrompt {
  const { name, text } = (value ?? {}) as { readonly name?: unknown; readonly text?: unknown };
  return typeof name === 'string' && typeof text === 'string';
}
