import { readGgufHeader } from './gguf/header.ts';
import type { ModelSelection } from './model.ts';

/**
 * The chat template of a GGUF file, in Jinja; empty if it has none, or is no longer readable.
 *
 * @throws The reason of the signal.
 */
export async function chatTemplate(
  { model, variant }: ModelSelection,
  signal: AbortSignal,
): Promise<string> {
  if (model.format !== 'gguf') return '';
  try {
    const { metadata } = await readGgufHeader(variant.path, signal);
    const template = metadata.values.get('tokenizer.chat_template');
    return typeof template === 'string' ? template : '';
  } catch {
    signal.throwIfAborted();
    return '';
  }
}
