/** A well-known small model with a short name. */
export interface CatalogEntry {
  /** Value of `model` in a request: lower-case letters, digits, `.` and `-`. */
  readonly id: string;
  readonly type: 'llm' | 'vlm' | 'embedding' | 'reranker';
  /** `owner/name` on huggingface.co. */
  readonly repository: string;
  readonly quantization: string;
  /** Bytes to download, including the projector; accurate to about 10 %, since repositories change. */
  readonly approximateBytes: number;
  /** The license, as named by the publisher. */
  readonly license: string;
  readonly description: string;
  /**
   * The smallest vector length that the publisher of an embedding model recommends, if its vectors may be truncated
   * (Matryoshka representation learning).
   */
  readonly minDimensions?: number;
  /** In a mixture of experts, the share of the weights that the model reads for a token. */
  readonly activeShare?: number;
}

const megabyte = 1_000_000;

/** Models of each type, smallest first, from repositories of their publishers, llama.cpp or Unsloth. */
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
    id: 'qwen3-0.6b',
    type: 'llm',
    repository: 'Qwen/Qwen3-0.6B-GGUF',
    quantization: 'Q8_0',
    approximateBytes: 640 * megabyte,
    license: 'apache-2.0',
    description: 'Very small model that can reason and use tools.',
  },
  {
    id: 'lfm2.5-1.2b',
    type: 'llm',
    repository: 'LiquidAI/LFM2.5-1.2B-Instruct-GGUF',
    quantization: 'Q4_K_M',
    approximateBytes: 731 * megabyte,
    license: 'lfm1.0',
    description:
      'Small, fast chat model in 8 languages, for machines without a GPU; commercial use is limited.',
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
    id: 'smollm2-1.7b',
    type: 'llm',
    repository: 'HuggingFaceTB/SmolLM2-1.7B-Instruct-GGUF',
    quantization: 'Q4_K_M',
    approximateBytes: 1060 * megabyte,
    license: 'apache-2.0',
    description: 'Small chat model; English.',
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
    id: 'smollm3-3b',
    type: 'llm',
    repository: 'ggml-org/SmolLM3-3B-GGUF',
    quantization: 'Q4_K_M',
    approximateBytes: 1920 * megabyte,
    license: 'apache-2.0',
    description: 'Small, fully open model that can reason and use tools; 6 European languages.',
  },
  {
    id: 'granite-4.2-3b',
    type: 'llm',
    repository: 'ibm-granite/granite-4.2-3b-GGUF',
    quantization: 'Q4_K_M',
    approximateBytes: 2240 * megabyte,
    license: 'apache-2.0',
    description: 'Small model for tools, extraction and documents; reasons if asked.',
  },
  {
    id: 'qwen3-4b-2507',
    type: 'llm',
    repository: 'unsloth/Qwen3-4B-Instruct-2507-GGUF',
    quantization: 'Q4_K_M',
    approximateBytes: 2500 * megabyte,
    license: 'apache-2.0',
    description:
      'Chat model without reasoning that answers at once, for most machines; many languages.',
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
    id: 'qwen2.5-coder-7b',
    type: 'llm',
    repository: 'Qwen/Qwen2.5-Coder-7B-Instruct-GGUF',
    quantization: 'Q4_K_M',
    approximateBytes: 4680 * megabyte,
    license: 'apache-2.0',
    description: 'Model for code.',
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
    id: 'lfm2.5-8b-a1b',
    type: 'llm',
    repository: 'LiquidAI/LFM2.5-8B-A1B-GGUF',
    quantization: 'Q4_K_M',
    approximateBytes: 5160 * megabyte,
    activeShare: 0.18,
    license: 'lfm1.0',
    description: 'Mixture-of-experts model, fast even without a GPU; commercial use is limited.',
  },
  {
    id: 'gpt-oss-20b',
    type: 'llm',
    repository: 'ggml-org/gpt-oss-20b-GGUF',
    quantization: 'MXFP4',
    approximateBytes: 12110 * megabyte,
    activeShare: 0.17,
    license: 'apache-2.0',
    description: 'Mixture-of-experts model that reasons and uses tools, for machines with 16 GB.',
  },
  {
    id: 'qwen3-coder-30b-a3b',
    type: 'llm',
    repository: 'unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF',
    quantization: 'Q4_K_M',
    approximateBytes: 18560 * megabyte,
    activeShare: 0.11,
    license: 'apache-2.0',
    description: 'Mixture-of-experts model for code and agents, for machines with 24 GB.',
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
    id: 'qwen3.5-0.8b',
    type: 'vlm',
    repository: 'unsloth/Qwen3.5-0.8B-GGUF',
    quantization: 'Q4_K_M',
    approximateBytes: 738 * megabyte,
    license: 'apache-2.0',
    description: 'Very small model in many languages that sees images and uses tools.',
  },
  {
    id: 'qwen3.5-2b',
    type: 'vlm',
    repository: 'unsloth/Qwen3.5-2B-GGUF',
    quantization: 'Q4_K_M',
    approximateBytes: 1950 * megabyte,
    license: 'apache-2.0',
    description: 'Small model in many languages that sees images, reasons and uses tools.',
  },
  {
    id: 'ministral-3-3b',
    type: 'vlm',
    repository: 'mistralai/Ministral-3-3B-Instruct-2512-GGUF',
    quantization: 'Q4_K_M',
    approximateBytes: 2990 * megabyte,
    license: 'apache-2.0',
    description: 'Small model that sees images and uses tools, in many languages.',
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
    id: 'qwen3.5-4b',
    type: 'vlm',
    repository: 'unsloth/Qwen3.5-4B-GGUF',
    quantization: 'Q4_K_M',
    approximateBytes: 3410 * megabyte,
    license: 'apache-2.0',
    description:
      'Model for most machines that sees images, reasons and uses tools; many languages.',
  },
  {
    id: 'gemma-4-e2b',
    type: 'vlm',
    repository: 'ggml-org/gemma-4-E2B-it-GGUF',
    quantization: 'Q4_0',
    approximateBytes: 3830 * megabyte,
    license: 'apache-2.0',
    description:
      'Model in many languages that sees images, hears and uses tools, for most machines.',
  },
  {
    id: 'gemma-4-e4b',
    type: 'vlm',
    repository: 'ggml-org/gemma-4-E4B-it-GGUF',
    quantization: 'Q4_0',
    approximateBytes: 5580 * megabyte,
    license: 'apache-2.0',
    description:
      'Model in many languages that sees images, hears and uses tools, for machines with 8 GB to spare.',
  },
  {
    id: 'qwen3.5-9b',
    type: 'vlm',
    repository: 'unsloth/Qwen3.5-9B-GGUF',
    quantization: 'Q4_K_M',
    approximateBytes: 6600 * megabyte,
    license: 'apache-2.0',
    description:
      'Model that sees images, reasons and uses tools, for machines with 8 GB to spare; many languages.',
  },
  {
    id: 'gemma-4-12b',
    type: 'vlm',
    repository: 'ggml-org/gemma-4-12B-it-GGUF',
    quantization: 'Q4_0',
    approximateBytes: 7400 * megabyte,
    license: 'apache-2.0',
    description:
      'Model in many languages that sees images and uses tools, for machines with 16 GB.',
  },
  {
    id: 'gemma-4-26b-a4b',
    type: 'vlm',
    repository: 'ggml-org/gemma-4-26B-A4B-it-GGUF',
    quantization: 'Q4_0',
    approximateBytes: 15810 * megabyte,
    activeShare: 0.15,
    license: 'apache-2.0',
    description:
      'Mixture-of-experts model in many languages that sees images and uses tools, for machines with 24 GB.',
  },
  {
    id: 'qwen3.6-35b-a3b',
    type: 'vlm',
    repository: 'ggml-org/Qwen3.6-35B-A3B-GGUF',
    quantization: 'Q4_K_M',
    approximateBytes: 21320 * megabyte,
    activeShare: 0.09,
    license: 'apache-2.0',
    description:
      'Mixture-of-experts model that sees images, reasons, codes and uses tools, for machines with 32 GB.',
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
    id: 'embeddinggemma-300m',
    type: 'embedding',
    repository: 'ggml-org/embeddinggemma-300M-GGUF',
    quantization: 'Q8_0',
    approximateBytes: 334 * megabyte,
    license: 'gemma',
    description: 'Embeddings of text in many languages, in 128 to 768 dimensions.',
    minDimensions: 128,
  },
  {
    id: 'bge-m3',
    type: 'embedding',
    repository: 'ggml-org/bge-m3-Q8_0-GGUF',
    quantization: 'Q8_0',
    approximateBytes: 635 * megabyte,
    license: 'mit',
    description: 'Embeddings of long text in many languages, in 1024 dimensions.',
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
  {
    id: 'bge-reranker-v2-m3',
    type: 'reranker',
    repository: 'gpustack/bge-reranker-v2-m3-GGUF',
    quantization: 'Q8_0',
    approximateBytes: 636 * megabyte,
    license: 'apache-2.0',
    description: 'Sorts search results by relevance; many languages.',
  },
  {
    id: 'qwen3-reranker-0.6b',
    type: 'reranker',
    repository: 'ggml-org/Qwen3-Reranker-0.6B-Q8_0-GGUF',
    quantization: 'Q8_0',
    approximateBytes: 639 * megabyte,
    license: 'apache-2.0',
    description: 'Sorts search results by relevance; many languages and code.',
  },
];
