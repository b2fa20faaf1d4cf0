/** Load settings of one comparison. */
export interface LoadShape {
  readonly contextLength: number;
  readonly parallel: number;
}

/** The shapes to load with one type of KV cache. */
export interface ShapesOfType {
  readonly kvCacheType: string;
  readonly shapes: readonly LoadShape[];
}

export function loadShapes(isQuick: boolean): readonly ShapesOfType[] {
  const shapesOf = (contexts: readonly number[]): readonly LoadShape[] =>
    contexts.flatMap((contextLength) => [1, 4].map((parallel) => ({ contextLength, parallel })));
  return [
    { kvCacheType: 'f16', shapes: shapesOf(isQuick ? [512] : [512, 2048, 8192]) },
    { kvCacheType: 'q8_0', shapes: shapesOf(isQuick ? [512] : [2048]) },
  ];
}
