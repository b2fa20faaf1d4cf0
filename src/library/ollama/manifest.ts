import * as z from 'zod';
import { corruptFile } from '../gguf/byte-source.ts';
import { readJsonFile } from '../read-json-file.ts';
import type { ScannedFile } from '../scanned-file.ts';

/** The files of a tag; their names are relative to the folder of blobs. */
export interface OllamaManifest {
  readonly modelBlob: string;
  readonly projectorBlob: string | null;
  readonly licenseBlob: string | null;
}

/** Generous: a manifest lists about a dozen layers. */
const maxBytes = 256 * 1024;
const maxLayers = 1000;

const manifestSchema = z.object({
  layers: z
    .array(
      z.object({
        mediaType: z.string().max(256),
        digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
      }),
    )
    .max(maxLayers),
});

const mediaTypes = {
  model: 'application/vnd.ollama.image.model',
  projector: 'application/vnd.ollama.image.projector',
  adapter: 'application/vnd.ollama.image.adapter',
  license: 'application/vnd.ollama.image.license',
} as const;

/**
 * Reads a tag's manifest: an OCI image manifest with Ollama's media types. Null if the weights are not a GGUF file, as
 * for a cloud model.
 *
 * @throws HearthError `corrupt_file` or `missing_file`.
 */
export async function readOllamaManifest(
  { path, name }: ScannedFile,
  signal: AbortSignal,
): Promise<OllamaManifest | null> {
  const { layers } = await readJsonFile(path, manifestSchema, maxBytes, signal);
  const blobs = (type: keyof typeof mediaTypes) =>
    layers
      .filter(({ mediaType }) => mediaType === mediaTypes[type])
      .map(({ digest }) => digest.replace(':', '-'));
  const [modelBlob, ...furtherParts] = blobs('model');
  if (modelBlob === undefined) return null;
  if (furtherParts.length > 0) throw corruptFile(name, 'names weights in several parts');
  // Serving only the base model would give other answers.
  if (blobs('adapter').length > 0) throw corruptFile(name, 'names an adapter');
  return {
    modelBlob,
    projectorBlob: blobs('projector')[0] ?? null,
    licenseBlob: blobs('license')[0] ?? null,
  };
}
