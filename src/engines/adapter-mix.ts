/** An adapter as an engine applies it. */
export interface AdapterScale {
  /** `AdapterEntry.id`. */
  readonly id: string;
  /** Not 0. */
  readonly scale: number;
}

/**
 * Names the weights that a request uses: cached tokens of one mix never serve another one. Empty without adapters, in any
 * order the same.
 */
export function adapterMix(adapters: readonly AdapterScale[] = []): string {
  const parts = adapters.map(({ id, scale }) => JSON.stringify([id, scale]));
  return parts.toSorted().join();
}
