import * as z from 'zod';
import { templateCapabilities, type TemplateCapabilities } from './capabilities.ts';
import { mlxAttention, mlxAttentionFields } from './mlx-attention.ts';
import type { ModelEntry } from './model.ts';
import { readJsonFile, readTextFile } from './read-json-file.ts';
import type { ScannedFile } from './scanned-file.ts';

/** The data that the library keeps of an MLX folder's JSON files. */
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

/** A tokenizer's configuration lists its added tokens and may be large. */
const maxJsonBytes = 4 * 1024 * 1024;

const positiveInteger = z.int().positive();
/** The engine itself has no limit. For a model whose configuration has none either. */
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
 * Reads the description of the model in an MLX folder (`config.json` as Hugging Face's transformers writes it,
 * with `quantization` added by mlx-lm).
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
