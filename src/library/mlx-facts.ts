import * as z from 'zod';
import { templateCapabilities, type TemplateCapabilities } from './capabilities.ts';
import { mlxAttention, mlxAttentionFields } from './mlx-attention.ts';
import type { ModelEntry } from './model.ts';
import { readJsonFile, readTextFile } from './read-json-file.ts';
import type { ScannedFile } from './scanned-file.ts';

/** Data that the library reads from the JSON files of an MLX folder. */
export interface MlxFacts extends TemplateCapabilities {
  readonly architecture: string;
  readonly maxContextLength: number;
  readonly attention: ModelEntry['attention'];
  readonly hasVision: boolean;
  readonly isEmbedding: boolean;
  readonly quantization: { readonly name: string; readonly bitsPerWeight: number } | null;
}

/** The files beside the weights that describe the model. */
export interface MlxDescription {
  readonly config: ScannedFile;
  readonly tokenizerConfig: ScannedFile | undefined;
  readonly chatTemplate: ScannedFile | undefined;
}

/** Large, since a tokenizer's configuration lists its added tokens. */
const maxJsonBytes = 4 * 1024 * 1024;

const positiveInteger = z.int().positive();
/** Used if the configuration has no limit; the engine itself has none. */
const defaultContextLength = 8192;

const textConfigSchema = z.object({
  max_position_embeddings: positiveInteger.optional(),
  n_positions: positiveInteger.optional(),
  max_seq_len: positiveInteger.optional(),
  seq_length: positiveInteger.optional(),
  ...mlxAttentionFields,
});
const configSchema = z.object({
  model_type: z.string().regex(/^[\w.-]{1,64}$/),
  ...textConfigSchema.shape,
  text_config: textConfigSchema.optional(),
  vision_config: z.object({}).optional(),
  quantization: z.object({ bits: z.number().positive().max(32) }).optional(),
  torch_dtype: z.string().optional(),
});
const tokenizerConfigSchema = z.object({ chat_template: z.string().optional().catch(undefined) });

const wholeWeights: Readonly<Record<string, { name: string; bitsPerWeight: number }>> = {
  bfloat16: { name: 'BF16', bitsPerWeight: 16 },
  float16: { name: 'F16', bitsPerWeight: 16 },
  float32: { name: 'F32', bitsPerWeight: 32 },
};

/**
 * Reads the description of the model in an MLX folder: the `config.json` of Hugging Face's transformers, to which
 * mlx-lm adds `quantization`.
 *
 * @throws HearthError `corrupt_file` or `missing_file`.
 */
export async function readMlxFacts(
  { config, tokenizerConfig, chatTemplate }: MlxDescription,
  signal: AbortSignal,
): Promise<MlxFacts> {
  const found = await readJsonFile(config.path, configSchema, maxJsonBytes, signal);
  const template =
    chatTemplate === undefined
      ? tokenizerConfig &&
        (await readJsonFile(tokenizerConfig.path, tokenizerConfigSchema, maxJsonBytes, signal))
          .chat_template
      : await readTextFile(chatTemplate.path, maxJsonBytes, signal);
  return {
    ...templateCapabilities(template ?? null),
    architecture: found.model_type,
    maxContextLength:
      contextLength(found) ?? contextLength(found.text_config ?? {}) ?? defaultContextLength,
    attention: mlxAttention(found.text_config ?? found) ?? mlxAttention(found),
    hasVision: found.vision_config !== undefined,
    isEmbedding: /bert/.test(found.model_type),
    quantization:
      found.quantization === undefined
        ? (wholeWeights[found.torch_dtype ?? ''] ?? null)
        : { name: `${found.quantization.bits}bit`, bitsPerWeight: found.quantization.bits },
  };
}

function contextLength(config: Partial<z.output<typeof textConfigSchema>>): number | undefined {
  return (
    config.max_position_embeddings ?? config.n_positions ?? config.max_seq_len ?? config.seq_length
  );
}
