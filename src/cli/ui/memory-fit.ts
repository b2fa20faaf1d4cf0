import type { MemoryFit } from '../../api/v1/models/memory-schema.ts';

const texts: Readonly<Record<MemoryFit, string>> = {
  fits: 'yes',
  partly: 'not now',
  too_large: 'no',
};

/** Whether a model fits into the memory, as a table shows it; `-` if it is unknown. */
export function describeFit(fit: MemoryFit | undefined): string {
  return fit === undefined ? '-' : texts[fit];
}
