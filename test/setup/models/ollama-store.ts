import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Digest of a blob, in the format of manifests. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** Puts a blob into a store. @returns The digest. */
export async function putOllamaBlob(store: string, bytes: Uint8Array): Promise<string> {
  const digest = digestOf(bytes);
  await mkdir(join(store, 'blobs'), { recursive: true });
  await writeFile(join(store, 'blobs', digest.replace(':', '-')), bytes);
  return digest;
}

/** Puts a model into a store in Ollama's layout. @param name `namespace/model:tag`. */
export async function putOllamaTag(
  store: string,
  name: string,
  { model, projector }: { readonly model: Uint8Array; readonly projector?: Uint8Array },
): Promise<void> {
  const layer = async (type: string, bytes: Uint8Array) => ({
    mediaType: `application/vnd.ollama.image.${type}`,
    digest: await putOllamaBlob(store, bytes),
    size: bytes.byteLength,
  });
  const layers = [await layer('model', model), await layer('license', Buffer.from('free'))];
  if (projector !== undefined) layers.push(await layer('projector', projector));
  const manifest = {
    schemaVersion: 2,
    mediaType: 'application/vnd.docker.distribution.manifest.v2+json',
    config: { digest: await putOllamaBlob(store, Buffer.from('{}')) },
    layers,
  };
  const path = join(store, 'manifests/registry.example', name.replace(':', '/'));
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify(manifest));
}
