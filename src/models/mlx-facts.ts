import { z } from 'zod';
import { templateCapabilities, type TemplateCapabilities } from './capabilities.ts';
import { corruptFile, withFileSource } from './gguf/byte-source.ts';
import type { ScannedFile } from './scan-folders.ts';

/** What the library keeps of an MLX folder's JSON files. */
export interface MlxFacts extends TemplateCapabilities {
  readonly architecture: string;
  readonly maxContextLength: number;
  readonly hasVision: boolean;
  readonly isEmbedding: boolean;
  readonly quantization: { readonly name: string; readonly bitsPerWeight: number } | null;
}

/** The files next to the weights that say what the model is. */
export interface MlxDescription {
  readonly config: ScannedFile;
  readonly tokenizerConfig: ScannedFile | undefined;
  readonly chatTemplate: ScannedFile | undefined;
}

/** A tokenizer's configuration lists its added tokens and may be long. */
const maxJsonBytes = 4 * 1024 * 1024;

const positiveInteger = z.int().positive();
const textConfigSchema = z.object({ max_position_embeddings: positiveInteger.optional() });
const configSchema = z.object({
  model_type: z.string().regex(/^[\w.-]{1,64}$/),
  max_position_embeddings: positiveInteger.optional(),
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
 * Reads what an MLX folder says of its model (`config.json` as Hugging Face's transformers write it,
 * with `quantization` added by mlx-lm).
 *
 * @throws HearthError `corrupt_file` or `missing_file`.
 */
export async function readMlxFacts(
  { config, tokenizerConfig, chatTemplate }: MlxDescription,
  signal: AbortSignal,
): Promise<MlxFacts> {
  const found = await readJson(config, configSchema, signal);
  const template =
    chatTemplate === undefined
      ? tokenizerConfig &&
        (await readJson(tokenizerConfig, tokenizerConfigSchema, signal)).chat_template
      : await readText(chatTemplate, signal);
  return {
    ...templateCapabilities(template ?? null),
    architecture: found.model_type,
    maxContextLength:
      found.max_position_embeddings ?? found.text_config?.max_position_embeddings ?? 0,
    hasVision: found.vision_config !== undefined,
    isEmbedding: /bert/.test(found.model_type),
    quantization:
      found.quantization === undefined
        ? (wholeWeights[found.torch_dtype ?? ''] ?? null)
        : { name: `${found.quantization.bits}bit`, bitsPerWeight: found.quantization.bits },
  };
}

async function readJson<Schema extends z.ZodType>(
  file: ScannedFile,
  schema: Schema,
  signal: AbortSignal,
): Promise<z.infer<Schema>> {
  const text = await readText(file, signal);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw corruptFile(file.name, 'is not JSON');
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw corruptFile(file.name, `has no usable ${issue?.path.join('.') || 'object'}`);
}

function readText(file: ScannedFile, signal: AbortSignal): Promise<string> {
  return withFileSource(file.path, async (source) => {
    signal.throwIfAborted();
    if (source.sizeBytes > maxJsonBytes)
      throw corruptFile(source.name, `is longer than ${maxJsonBytes} bytes`);
    const bytes = Buffer.alloc(source.sizeBytes);
    return bytes.toString('utf8', 0, await source.read(bytes, 0));
  });
}
