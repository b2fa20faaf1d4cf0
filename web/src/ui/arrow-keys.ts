import type { KeyboardEvent } from 'react';

/**
 * Moves through a list with the arrow keys, wrapping around at its ends. Other keys are ignored.
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

/** A `ref` for the option that the arrow keys have reached; scrolls it into view. */
export function keepInView(option: HTMLElement | null): void {
  option?.scrollIntoView({ block: 'nearest' });
}
