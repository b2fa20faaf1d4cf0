import type { ModelSelection } from './model.ts';
import { readGgufHeader } from './gguf/header.ts';
import { printableText } from './printable-text.ts';

/** Facts in a model's header that the library does not keep. */
export interface HeaderDetails {
  readonly chatTemplate: string | null;
  readonly license: string | null;
  readonly licenseLink: string | null;
  readonly author: string | null;
  readonly sourceUrl: string | null;
  /** The model's recommended sampling (`general.sampling.*`). */
  readonly sampling: Partial<Record<keyof typeof samplingKeys, number>>;
}

const samplingKeys = {
  temperature: 'general.sampling.temp',
  topP: 'general.sampling.top_p',
  topK: 'general.sampling.top_k',
  minP: 'general.sampling.min_p',
  repeatPenalty: 'general.sampling.penalty_repeat',
} as const;

const unknown: HeaderDetails = {
  chatTemplate: null,
  license: null,
  licenseLink: null,
  author: null,
  sourceUrl: null,
  sampling: {},
};

/**
 * Reads the header of a model's first file; empty for MLX.
 *
 * @throws HearthError `missing_file`, `corrupt_file`; the signal's reason.
 */
export async function readHeaderDetails(
  { model, variant }: ModelSelection,
  signal: AbortSignal,
): Promise<HeaderDetails> {
  if (model.format !== 'gguf') return unknown;
  const { values } = (await readGgufHeader(variant.path, signal)).metadata;
  const first = (maxCharacters: number, ...names: readonly string[]): string | null => {
    for (const name of names) {
      const value = values.get(name);
      const shown = typeof value === 'string' ? printableText(value, maxCharacters) : '';
      if (shown !== '') return shown;
    }
    return null;
  };
  const template = values.get('tokenizer.chat_template');
  return {
    chatTemplate: typeof template === 'string' && template !== '' ? template : null,
    license: first(200, 'general.license', 'general.license.name'),
    licenseLink: first(2000, 'general.license.link'),
    author: first(200, 'general.author', 'general.organization'),
    sourceUrl: first(
      2000,
      'general.source.url',
      'general.source.repo_url',
      'general.repo_url',
      'general.url',
      'general.source.huggingface.repository',
    ),
    sampling: Object.fromEntries(
      Object.entries(samplingKeys).flatMap(([name, key]) => {
        const value = values.get(key);
        // Removes the rounding error of the header's 32-bit floats.
        return typeof value === 'number' && Number.isFinite(value)
          ? [[name, Number(value.toPrecision(6))]]
          : [];
      }),
    ),
  };
}
