const size = { width: 120, height: 32 };

/** A small chart of the last values. */
export function Sparkline({ values }: { readonly values: readonly number[] }) {
  const largest = Math.max(1, ...values);
  const points = values
    .map((value, index) => {
      const x = values.length < 2 ? 0 : (index / (values.length - 1)) * size.width;
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
