/** A page of a list. */
export function toPage<Item extends { readonly id: string }>(
  data: readonly Item[],
  hasMore: boolean,
) {
  return {
    object: 'list' as const,
    data: [...data],
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}

/** Unix time. */
export function toSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
