import { readFile } from 'node:fs/promises';
import { placeModel } from './place-model.ts';
import { patchGgufNumber } from './gguf-writer.ts';
import { starterPath } from '../engine/test-engines.ts';

export const endlessModel = 'test/endless';

/**
 * Puts a model into a home folder that writes until its context is full, some ten seconds with 8,192 tokens:
 * the starter chat model with its end-of-turn tokens renamed, so that the engine does not know them.
 *
 * @returns its path
 */
export async function placeEndlessModel(home: string): Promise<string> {
  const starter = await readFile(starterPath('chat'), 'latin1');
  const renamed = starter
    .replaceAll('<|im_end|>', '<|im_fin|>')
    .replaceAll('<|endoftext|>', '<|beginning|>');
  const lastToken = 1279;
  const unending = patchGgufNumber(
    Buffer.from(renamed, 'latin1'),
    'tokenizer.ggml.eos_token_id',
    lastToken,
  );
  return placeModel(home, endlessModel, patchGgufNumber(unending, 'llama.context_length', 2 ** 30));
}
