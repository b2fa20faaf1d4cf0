import { readFile } from 'node:fs/promises';
import { HearthError } from '../../../src/kernel/errors/errors.ts';
import { ggufFacts } from '../../../src/library/gguf/facts.ts';
import { parseGgufHeader } from '../../../src/library/gguf/header.ts';
import type { FuzzTarget } from '../fuzz-target.ts';

const { signal } = new AbortController();
const starters = [
  'chat/starter-chat-q8_0',
  'embed/starter-embed-q8_0',
  'vision/starter-vision-q8_0',
];
/** Large enough for any declared tensor data. */
const fileBytes = 2 ** 40;

/** Headers of GGUF files from downloads and uploads. */
export const gguf: FuzzTarget = {
  seeds: () =>
    Promise.all(
      starters.map(async (name) => {
        const bytes = await readFile(`models/starter/starter-${name}.gguf`);
        const header = await parseGgufHeader(sourceOf(bytes), signal);
        return bytes.subarray(0, header.dataOffset);
      }),
    ),
  words: [
    'general.architecture',
    'general.alignment',
    'general.file_type',
    'split.count',
    'split.no',
    'tokenizer.chat_template',
    'tokenizer.ggml.tokens',
    'llama.context_length',
    'llama.attention.head_count_kv',
    'llama.attention.sliding_window',
    'llama.expert_count',
    'clip.has_vision_encoder',
    'bert',
    'qwen2',
    'gemma3',
    '{% if tools %}{{ tools }}{% endif %}',
  ],
  run: async (input) => ggufFacts(await parseGgufHeader(sourceOf(input), signal), 'model.gguf'),
  isDeclared: (error) => error instanceof HearthError,
};

function sourceOf(bytes: Buffer) {
  return {
    name: 'model.gguf',
    sizeBytes: fileBytes,
    read: async (target: Buffer, position: number) =>
      position >= bytes.length ? 0 : bytes.copy(target, 0, position),
  };
}
