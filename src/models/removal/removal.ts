import type { ScannedRepository } from '../scan-repository.ts';

/** What is to be removed: a whole model, or one variant of several. */
export interface Removal {
  readonly key: string;
  /** null for the whole model. */
  readonly variantId: string | null;
  readonly repository: ScannedRepository;
  /** The model's own files, those first without which it is no longer listed. */
  readonly files: readonly string[];
  /** Whether no other model is left in the repository. */
  readonly leavesNoModel: boolean;
}
