/** A well-known small model that a short name identifies. */
export interface CatalogEntry {
  /** Value of `model` in a request: lower-case letters, digits, `.` and `-`. */
  readonly id: string;
  readonly type: 'llm' | 'vlm' | 'embedding';
  /** `owner/name` on huggingface.co. */
  readonly repository: string;
  readonly quantization: string;
  /** Size of the download with the projector; accurate to about 10 %, since repositories change. */
  readonly approximateBytes: number;
  /** The license, as named by the publisher. */
  readonly license: string;
  readonly description: string;
  /**
   * Of an embedding model whose vectors may be cut (Matryoshka representation learning): the smallest length that its
   * publisher names.
   */
  readonly minDimensions?: number;
}

const megabyte = 1_000_000;

/** Small models of each type, in repositories of their publishers or of llama.cpp. */
export const catalogEntries: readonly CatalogEntry[] = [
  {
    id: 'smollm2-360m',
    type: 'llm',
    repository: 'HuggingFaceTB/SmolLM2-360M-Instruct-GGUF',
    quantization: 'Q8_0',
    approximateBytes: 390 * megabyte,
    license: 'apache-2.0',
    description: 'Very small chat model for simple tasks on any machine; English.',
  },
  {
    id: 'smollm2-1.7b',
    type: 'llm',
    repository: 'HuggingFaceTB/SmolLM2-1.7B-Instruct-GGUF',
    quantization: 'Q4_K_M',
    approximateBytes: 1060 * megabyte,
    license: 'apache-2.0',
    description: 'Small chat model; English.',
  },
  {
    id: 'qwen2.5-0.5b',
    type: 'llm',
    repository: 'Qwen/Qwen2.5-0.5B-Instruct-GGUF',
    quantization: 'Q4_K_M',
    approximateBytes: 490 * megabyte,
    license: 'apache-2.0',
    description: 'Very small chat model in many languages.',
  },
  {
    id: 'qwen2.5-1.5b',
    type: 'llm',
    repository: 'Qwen/Qwen2.5-1.5B-Instruct-GGUF',
    quantization: 'Q4_K_M',
    approximateBytes: 1120 * megabyte,
    license: 'apache-2.0',
    description: 'Small chat model in many languages, with tool use.',
  },
  {
    id: 'qwen2.5-coder-1.5b',
    type: 'llm',
    repository: 'Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF',
    quantization: 'Q4_K_M',
    approximateBytes: 1120 * megabyte,
    license: 'apache-2.0',
    description: 'Small model for code.',
  },
  {
    id: 'qwen2.5-coder-7b',
    type: 'llm',
    repository: 'Qwen/Qwen2.5-Coder-7B-Instruct-GGUF',
    quantization: 'Q4_K_M',
    approximateBytes: 4680 * megabyte,
    license: 'apache-2.0',
    description: 'Model for code.',
  },
  {
    id: 'qwen3-0.6b',
    type: 'llm',
    repository: 'Qwen/Qwen3-0.6B-GGUF',
    quantization: 'Q8_0',
    approximateBytes: 640 * megabyte,
    license: 'apache-2.0',
    description: 'Very small model that can reason and use tools.',
  },
  {
    id: 'qwen3-1.7b',
    type: 'llm',
    repository: 'Qwen/Qwen3-1.7B-GGUF',
    quantization: 'Q8_0',
    approximateBytes: 1830 * megabyte,
    license: 'apache-2.0',
    description: 'Small model that can reason and use tools.',
  },
  {
    id: 'qwen3-4b',
    type: 'llm',
    repository: 'Qwen/Qwen3-4B-GGUF',
    quantization: 'Q4_K_M',
    approximateBytes: 2500 * megabyte,
    license: 'apache-2.0',
    description: 'Model that can reason and use tools, for most machines.',
  },
  {
    id: 'qwen3-8b',
    type: 'llm',
    repository: 'Qwen/Qwen3-8B-GGUF',
    quantization: 'Q4_K_M',
    approximateBytes: 5030 * megabyte,
    license: 'apache-2.0',
    description: 'Model that can reason and use tools, for machines with 8 GB to spare.',
  },
  {
    id: 'gemma-3-1b',
    type: 'llm',
    repository: 'ggml-org/gemma-3-1b-it-GGUF',
    quantization: 'Q4_K_M',
    approximateBytes: 810 * megabyte,
    license: 'gemma',
    description: 'Small chat model in many languages.',
  },
  {
    id: 'gemma-3-4b',
    type: 'vlm',
    repository: 'ggml-org/gemma-3-4b-it-GGUF',
    quantization: 'Q4_K_M',
    approximateBytes: 3340 * megabyte,
    license: 'gemma',
    description: 'Chat model in many languages with vision.',
  },
  {
    id: 'smolvlm-256m',
    type: 'vlm',
    repository: 'ggml-org/SmolVLM-256M-Instruct-GGUF',
    quantization: 'Q8_0',
    approximateBytes: 370 * megabyte,
    license: 'apache-2.0',
    description: 'The smallest model that describes images; English.',
  },
  {
    id: 'smolvlm-500m',
    type: 'vlm',
    repository: 'ggml-org/SmolVLM-500M-Instruct-GGUF',
    quantization: 'Q8_0',
    approximateBytes: 640 * megabyte,
    license: 'apache-2.0',
    description: 'Very small model that describes images; English.',
  },
  {
    id: 'qwen2.5-vl-3b',
    type: 'vlm',
    repository: 'ggml-org/Qwen2.5-VL-3B-Instruct-GGUF',
    quantization: 'Q4_K_M',
    approximateBytes: 3270 * megabyte,
    license: 'qwen-research',
    description: 'Model that reads images, documents and screens; not for commercial use.',
  },
  {
    id: 'nomic-embed-text-v1.5',
    type: 'embedding',
    repository: 'nomic-ai/nomic-embed-text-v1.5-GGUF',
    quantization: 'Q4_K_M',
    approximateBytes: 84 * megabyte,
    license: 'apache-2.0',
    description: 'Embeddings of English text in 64 to 768 dimensions.',
    minDimensions: 64,
  },
  {
    id: 'qwen3-embedding-0.6b',
    type: 'embedding',
    repository: 'Qwen/Qwen3-Embedding-0.6B-GGUF',
    quantization: 'Q8_0',
    approximateBytes: 640 * megabyte,
    license: 'apache-2.0',
    description: 'Embeddings of text in many languages and of code, in 32 to 1024 dimensions.',
    minDimensions: 32,
  },
];
