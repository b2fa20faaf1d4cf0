import { createHash, type Hash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { ModelEntry } from '../../library/model.ts';

/** Bytes to read at the beginning, which usually contain the whole header, and at the end. */
const edgeBytes = 1024 * 1024;
const sampleBytes = 4096;
const sampleCount = 64;

/**
 * Identifies an engine for the states of its slots: a state can be restored only by an engine with the same
 * fingerprint. Covers the files' contents and the settings that affect cached tokens.
 *
 * The files are too large to be read completely. The fingerprint covers samples of the content, the size, the inode,
 * and the times of the last change. Programs can't set one of these times (ctime), so a changed file always has
 * another fingerprint.
 *
 * @param files Model and projector, in order.
 * @param settings A value that JSON can represent.
 * @throws Errors of the file system.
 */
export async function engineFingerprint(
  files: readonly string[],
  settings: Readonly<Record<string, unknown>>,
): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(settings));
  for (const file of files) await addFile(hash, file);
  return hash.digest('hex');
}

async function addFile(hash: Hash, path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    const { size, ino, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
    hash.update(`\0${size} ${ino} ${mtimeNs} ${ctimeNs}\0`);
    const length = Number(size);
    const buffer = Buffer.alloc(edgeBytes);
    const add = async (position: number, bytes: number): Promise<void> => {
      const { bytesRead } = await file.read(buffer, 0, bytes, Math.max(0, Math.floor(position)));
      hash.update(buffer.subarray(0, bytesRead));
    };
    await add(0, edgeBytes);
    for (let index = 1; index <= sampleCount; index += 1) {
      await add((length * index) / (sampleCount + 1), sampleBytes);
    }
    await add(length - edgeBytes, edgeBytes);
  } finally {
    await file.close();
  }
}

/**
 * Architectures with recurrent layers, whose state can't be cut back to the beginning of a prompt, and architectures
 * that do not generate from left to right (llama.cpp, `llm_arch_is_recurrent`, `llm_arch_is_hybrid`,
 * `llm_arch_is_diffusion`).
 */
const excludedArchitectures =
  /^(a?rwkv|mamba|jamba|falcon-h1|plamo2|plamo3|granite-?hybrid|lfm2|nemotron_h|qwen3next|qwen35|kimi-linear|minimax|dream|llada|rnd1)/u;

/** True if the slots of a model can be saved and restored: language models with attention in every layer. */
export function canSaveSlots({ type, format, architecture, attention }: ModelEntry): boolean {
  return (
    (type === 'llm' || type === 'vlm') &&
    format === 'gguf' &&
    attention !== null &&
    attention.recurrentBytesPerSlot === 0 &&
    attention.keyBytesPerToken > 0 &&
    !excludedArchitectures.test(architecture)
  );
}

/** True if a model's slots can share a cache. Layers with a sliding window would need a cache of another size. */
export function canShareCache(model: ModelEntry): boolean {
  return canSaveSlots(model) && model.attention?.window === null;
}
