import { readFile } from 'node:fs/promises';
import { placeModel } from './place-model.ts';
import { addGgufEntries, patchGgufNumber } from './gguf-writer.ts';
import { starterPath } from '../engine/test-engines.ts';

export const endlessModel = 'test/endless';

/** `<|unused3|>`. */
const unusedToken = 15;
/** `<tool_call>`. */
const callToken = 5;

/**
 * Puts a model into a home folder that writes until its context is full, at least ten seconds with 8,192 tokens. It is
 * the starter chat model with renamed end-of-turn tokens, which the engine then does not recognize. Its end of sequence
 * is an unused token, which the engine never samples. The engine also never samples the beginning of a tool call, since
 * the server would hold back the text of a call that does not end.
 *
 * @returns The path of the model.
 */
export async function placeEndlessModel(home: string): Promise<string> {
  const starter = await readFile(starterPath('chat'), 'latin1');
  const renamed = starter
    .replaceAll('<|im_end|>', '<|im_fin|>')
    .replaceAll('<|endoftext|>', '<|beginning|>');
  let file: Buffer = Buffer.from(renamed, 'latin1');
  file = patchGgufNumber(file, 'tokenizer.ggml.eos_token_id', unusedToken);
  file = patchGgufNumber(file, 'llama.context_length', 2 ** 30);
  file = addGgufEntries(file, {
    'tokenizer.ggml.suppress_tokens': { int32s: [unusedToken, callToken] },
  });
  return placeModel(home, endlessModel, file);
}
