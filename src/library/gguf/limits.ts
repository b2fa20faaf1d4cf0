/**
 * Limits of a GGUF header. Each is far above real models (in brackets the largest known), and keeps a hostile file
 * from costing memory or time.
 */
export const ggufLimits = {
  /** Everything before the data of the tensors (about 20 MB). */
  headerBytes: 256 * 1024 * 1024,
  metadataEntries: 16_384,
  /** Old mixture-of-experts files have one tensor per expert (about 30,000). */
  tensors: 262_144,
  keyBytes: 65_535,
  tensorNameBytes: 255,
  dimensions: 4,
  /** Longer strings, such as a whole tokenizer as JSON, are skipped (chat templates: about 60 KB). */
  keptStringBytes: 256 * 1024,
  /** Longer arrays of numbers, and all arrays of strings, are skipped (one number per layer). */
  keptArrayItems: 1024,
  /** Total size of the keys and values kept of one file; later ones are skipped. */
  keptBytes: 2 * 1024 * 1024,
} as const;
