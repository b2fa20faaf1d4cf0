import { parse, tokenize } from '@huggingface/jinja';
import { HearthError } from '../kernel/errors/errors.ts';
import { readGgufHeader } from './gguf/header.ts';
import type { ModelSelection } from './model.ts';

/**
 * The chat template (Jinja) of a GGUF file; empty if it has none or can't be read.
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

/**
 * Checks the syntax of a chat template. The engine checks the rest when it loads the model.
 *
 * @throws HearthError `invalid_value`
 */
export function assertChatTemplate(template: string): void {
  try {
    // White space is folded, since the tokenizer takes quadratic time for long runs.
    parse(tokenize(template.replaceAll(/\s+/g, ' ')));
  } catch (error) {
    // A template that is nested too deeply exhausts the stack.
    const reason = error instanceof Error ? error.message : String(error);
    throw new HearthError('invalid_value', `The chat template is not valid Jinja: ${reason}`, {
      field: 'chatTemplate',
    });
  }
}
