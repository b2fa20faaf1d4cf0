import type { ModelEntry } from '../../library/model.ts';

/**
 * Architectures with recurrent layers, whose state can't be cut back to the beginning of a prompt, and such that do
 * not generate from left to right (llama.cpp, `llm_arch_is_recurrent`, `llm_arch_is_hybrid`, `llm_arch_is_diffusion`).
 */
const excludedArchitectures =
  /^(a?rwkv|mamba|jamba|falcon-h1|plamo2|plamo3|granite-?hybrid|lfm2|nemotron_h|qwen3next|qwen35|kimi-linear|minimax|dream|llada|rnd1)/u;

/** Whether the slots of a model can be saved and restored: language models with attention in every layer. */
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

/** Whether the slots of a model can share one cache: layers with a sliding window have caches of another size. */
export function canShareCache(model: ModelEntry): boolean {
  return canSaveSlots(model) && model.attention?.window === null;
}
