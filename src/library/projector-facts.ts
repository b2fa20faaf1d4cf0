import type { GgufMetadata } from './gguf/metadata.ts';
import { headerCount } from './header-count.ts';

/** Positions for 30 seconds, the longest input of Whisper-like encoders. */
const audioPositions = 1500;

/**
 * Input kinds of a projector, and the sizes of its vision or audio tower, which determine its buffers. A size is 0 if
 * the header has no value.
 */
export interface ProjectorFacts {
  readonly seesImages: boolean;
  readonly hearsAudio: boolean;
  /** Number of patches of an image with the tower's training size, or number of positions of an audio tower. */
  readonly patches: number;
  /** Length of a patch's side, in pixels. */
  readonly patchSize: number;
  readonly embedding: number;
  readonly feedForward: number;
}

export function projectorFacts({ values }: GgufMetadata): ProjectorFacts {
  const hearsAudio = values.get('clip.has_audio_encoder') === true;
  // Older projectors do not declare their input; all of them read images.
  const seesImages = !hearsAudio || values.get('clip.has_vision_encoder') === true;
  const tower = seesImages ? 'vision' : 'audio';
  const read = (name: string): number => headerCount(values.get(`clip.${tower}.${name}`)) ?? 0;
  const patchSize = read('patch_size');
  const imagePatches = patchSize === 0 ? 0 : Math.ceil(read('image_size') / patchSize) ** 2;
  return {
    seesImages,
    hearsAudio,
    patchSize,
    patches: seesImages ? imagePatches : audioPositions,
    embedding: read('embedding_length'),
    feedForward: read('feed_forward_length'),
  };
}
