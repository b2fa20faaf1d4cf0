type Vector = readonly number[];

/**
 * Positions of the vectors nearest to a query by cosine similarity, in document order. Returns as many as fit into
 * `maxSize`, but at least one.
 */
export function nearest(
  query: Vector,
  vectors: readonly Vector[],
  sizes: readonly number[],
  { maxSize, maxCount }: { readonly maxSize: number; readonly maxCount: number },
): readonly number[] {
  const ranked = vectors
    .map((vector, index) => ({ index, similarity: cosine(query, vector) }))
    .toSorted((one, other) => other.similarity - one.similarity);
  const chosen: number[] = [];
  let size = 0;
  for (const { index } of ranked) {
    const added = sizes[index] ?? 0;
    if (chosen.length >= maxCount || (chosen.length > 0 && size + added > maxSize)) break;
    chosen.push(index);
    size += added;
  }
  return chosen.toSorted((one, other) => one - other);
}

function cosine(one: Vector, other: Vector): number {
  let dot = 0;
  let oneLength = 0;
  let otherLength = 0;
  for (const [index, value] of one.entries()) {
    const opposite = other[index] ?? 0;
    dot += value * opposite;
    oneLength += value * value;
    otherLength += opposite * opposite;
  }
  return dot / (Math.sqrt(oneLength * otherLength) || 1);
}
