const colors = [
  'text-(--hl-keyword)',
  'text-(--hl-title)',
  'text-(--hl-string)',
  'text-(--hl-number)',
];

/** CSS class for the color of a speaker, by number from 1. */
export function speakerColor(speaker: number | undefined): string {
  return speaker === undefined ? '' : (colors[(speaker - 1) % colors.length] ?? '');
}
