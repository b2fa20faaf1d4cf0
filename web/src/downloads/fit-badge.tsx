import type { MemoryFit } from '../../../src/api/v1/models/memory-schema.ts';
import { modelsTexts } from '../texts/models.ts';
import { Badge } from '../ui/badge.tsx';

const tones = { fits: 'ok', partly: 'warn', too_large: 'danger' } as const;

/** A badge that shows how a model fits into the memory of the machine. */
export function FitBadge({ fit }: { readonly fit: MemoryFit }) {
  return (
    <Badge tone={tones[fit]} title={modelsTexts.fitHints[fit]}>
      {modelsTexts.fits[fit]}
    </Badge>
  );
}
