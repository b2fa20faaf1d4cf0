import type { KeyboardEvent } from 'react';

/**
 * Moves through a list with the arrow keys, from its end to its beginning and back. Other keys do nothing.
 *
 * @param count Number of items.
 */
export function moveByArrows(
  event: KeyboardEvent,
  position: number,
  count: number,
  move: (position: number) => void,
): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || count === 0) return;
  event.preventDefault();
  move((position + step + count) % count);
}

/** A `ref` for the option that the arrow keys have reached: a list that scrolls shows it. */
export function keepInView(option: HTMLElement | null): void {
  option?.scrollIntoView({ block: 'nearest' });
}
