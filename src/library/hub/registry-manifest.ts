import * as z from 'zod';
import { HearthError } from '../../kernel/errors/errors.ts';
import { parseModelFileName } from '../model-file-name.ts';
import type { RegistryReference } from './registry-reference.ts';

const maxLayers = 1000;
/** 16 TiB, larger than any model. */
const maxLayerBytes = 2 ** 44;

const layerSchema = z.object({
  mediaType: z.string().max(256),
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  size: z.int().positive().max(maxLayerBytes),
  annotations: z.record(z.string(), z.string()).optional(),
});

/** An image manifest of the OCI image specification, or version 2 of Docker's image manifest. */
export const manifestSchema = z.object({
  schemaVersion: z.literal(2),
  layers: z.array(layerSchema).max(maxLayers),
});

export type RegistryManifest = z.infer<typeof manifestSchema>;
type Layer = RegistryManifest['layers'][number];

/** A layer of the manifest that becomes a file. */
interface RegistryFile {
  readonly digest: string;
  readonly sizeBytes: number;
  /** Name in the folder of the model. */
  readonly target: string;
}

interface ManifestModel {
  /** Name of the model, with the tag and without the quantization. */
  readonly name: string;
  readonly quantization: string | null;
  readonly files: readonly RegistryFile[];
  readonly licenseDigest: string | null;
}

/** Source: `server/images.go` of Ollama, and `pkg/distribution/types` of Docker Model Runner. */
const mediaTypes = {
  model: ['application/vnd.ollama.image.model', 'application/vnd.docker.ai.gguf.v3'],
  projector: ['application/vnd.ollama.image.projector', 'application/vnd.docker.ai.mmproj'],
  adapter: ['application/vnd.ollama.image.adapter', 'application/vnd.docker.ai.lora'],
  license: ['application/vnd.ollama.image.license', 'application/vnd.docker.ai.license'],
} as const;

/**
 * Chooses a model's files from its manifest. Their names come from the reference, never from the manifest, which is
 * untrusted.
 *
 * @throws HearthError `invalid_value` for a manifest without GGUF weights, or with an adapter.
 */
export function readManifest(
  { registry, owner, model, tag }: RegistryReference,
  { layers }: RegistryManifest,
): ManifestModel {
  const of = (kind: keyof typeof mediaTypes): readonly Layer[] =>
    layers.filter(({ mediaType }) => mediaTypes[kind].some((type) => type === mediaType));
  const refuse = (reason: string): HearthError =>
    new HearthError('invalid_value', `${registry}:${owner}/${model}:${tag} ${reason}.`, {
      field: 'model',
    });
  const weights = of('model');
  if (weights.length === 0) throw refuse('has no GGUF file that Hearth can run');
  if (of('adapter').length > 0) throw refuse('has an adapter, which Hearth does not load');
  const stem = tag === 'latest' ? model : `${model}-${tag}`;
  const { base, quantization } = parseModelFileName(`${stem}.gguf`);
  const [projector] = of('projector');
  return {
    name: base || model,
    quantization,
    files: [
      ...weights.map((layer, index) => toFile(layer, partName(stem, index, weights.length))),
      ...(projector === undefined ? [] : [toFile(projector, `mmproj-${stem}.gguf`)]),
    ],
    licenseDigest: of('license')[0]?.digest ?? null,
  };
}

function toFile({ digest, size }: Layer, target: string): RegistryFile {
  return { digest, sizeBytes: size, target };
}

/** The manifest lists the parts of a split model in order. */
function partName(stem: string, index: number, count: number): string {
  if (count === 1) return `${stem}.gguf`;
  const number = (value: number) => String(value).padStart(5, '0');
  return `${stem}-${number(index + 1)}-of-${number(count)}.gguf`;
}
