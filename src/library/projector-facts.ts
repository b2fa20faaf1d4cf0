import type { GgufMetadata } from './gguf/metadata.ts';
import { headerCount } from './header-count.ts';

/** The sizes of a projector's vision tower that determine its buffers; 0 if the header has no value. */
export interface ProjectorFacts {
  /** Number of patches of an image with the tower's training size. */
  readonly patches: number;
  /** Length of a patch's side, in pixels. */
  readonly patchSize: number;
  readonly embedding: number;
  readonly feedForward: number;
}

export function projectorFacts({ values }: GgufMetadata): ProjectorFacts {
  const read = (name: string): number => headerCount(values.get(`clip.vision.${name}`)) ?? 0;
  const patchSize = read('patch_size');
  return {
    patchSize,
    patches: patchSize === 0 ? 0 : Math.ceil(read('image_size') / patchSize) ** 2,
    embedding: read('embedding_length'),
    feedForward: read('feed_forward_length'),
  };
}
