import { dirname } from 'node:path';
import type { Reading } from './facts-cache.ts';
import { corruptFile } from './gguf/byte-source.ts';
import { modelName, readableName, type RepositoryModel } from './library-model.ts';
import type { MlxDescription, MlxFacts } from './mlx-facts.ts';
import type { ScannedRepository } from './scan-repository.ts';
import type { ScannedFile } from './scanned-file.ts';

/** An MLX model: the whole folder of a repository. */
interface MlxFolder extends MlxDescription {
  readonly weights: readonly ScannedFile[];
}

/** Finds the MLX model of a repository; null unless its own folder has `config.json` and weights. */
export function findMlxFolder({ folder, files }: ScannedRepository): MlxFolder | null {
  const own = files.filter(({ path }) => dirname(path) === folder);
  const named = (name: string) => own.find((file) => file.name === name);
  const config = named('config.json');
  const weights = own.filter(({ name }) => /\.safetensors$/i.test(name));
  return config === undefined || weights.length === 0
    ? null
    : {
        config,
        tokenizerConfig: named('tokenizer_config.json'),
        chatTemplate: named('chat_template.jinja'),
        weights,
      };
}

/** Reads the model of an MLX folder, or returns a fault if it is unusable. */
export function mlxModel(
  repository: ScannedRepository,
  { config, weights }: MlxFolder,
  reading: Reading<MlxFacts>,
): RepositoryModel {
  const name = modelName(repository.name);
  const names = [name, `${name}-mlx`];
  const missing = missingWeights(weights);
  const error =
    reading.error ?? (missing === null ? null : corruptFile(config.name, `lacks ${missing}`));
  const { facts } = reading;
  if (error !== null || facts === null)
    return {
      names,
      entry: null,
      faults:
        error === null
          ? []
          : [{ variantId: null, file: config, files: [config, ...weights], error }],
      files: [],
      projectors: [],
    };
  return {
    names,
    faults: [],
    files: [config, ...weights],
    projectors: [],
    entry: {
      publisher: repository.publisher,
      displayName: readableName(name),
      type: facts.isEmbedding ? 'embeddings' : facts.hasVision ? 'vlm' : 'llm',
      format: 'mlx',
      architecture: facts.architecture,
      parameterLabel: null,
      maxContextLength: facts.maxContextLength,
      isTrainedForToolUse: facts.isTrainedForToolUse,
      reasoning: facts.reasoning,
      supportsInfill: false,
      hearsAudio: false,
      projectorPath: null,
      description: null,
      variants: [
        {
          id: facts.quantization?.name.toLowerCase() ?? 'default',
          quantization: facts.quantization,
          path: repository.folder,
          files: weights.map(({ path }) => path),
          sizeBytes: weights.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
        },
      ],
      projector: null,
      attention: facts.isEmbedding ? null : facts.attention,
      dimensions: null,
      tokenizer: null,
    },
  };
}

/** Checks for missing parts: the name `model-00002-of-00003.safetensors` contains their number. */
function missingWeights(weights: readonly ScannedFile[]): string | null {
  const names = new Set(weights.map(({ name }) => name));
  const [, stem, total] = /^(.*)-\d{5}-of-(\d{5})\.safetensors$/m.exec([...names].join('\n')) ?? [];
  if (stem === undefined || total === undefined) return null;
  for (let number = 1; number <= Number(total); number += 1) {
    const part = `${stem}-${String(number).padStart(5, '0')}-of-${total}.safetensors`;
    if (!names.has(part)) return part;
  }
  return null;
}
