const size = { width: 120, height: 32 };

/** A small chart of the latest values. */
export function Sparkline({ values }: { readonly values: readonly number[] }) {
  // A single value is drawn as a horizontal line.
  const drawn = values.length > 1 ? values : [values[0] ?? 0, values[0] ?? 0];
  const largest = Math.max(1, ...drawn);
  const points = drawn
    .map((value, index) => {
      const x = (index / (drawn.length - 1)) * size.width;
      const y = size.height - 2 - (value / largest) * (size.height - 4);
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    })
    .join(' ');
  return (
    <svg
      viewBox={`0 0 ${size.width} ${size.height}`}
      preserveAspectRatio="none"
      className="h-8 w-full"
      aria-hidden
    >
      <polyline
        points={points}
        className="fill-none stroke-accent"
        strokeWidth={1.5}
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
