/** A bar that fills in the text direction. */
export function ProgressBar({
  label,
  fraction,
}: {
  readonly label: string;
  /** 0 to 1; undefined if unknown. */
  readonly fraction: number | undefined;
}) {
  const percent = fraction === undefined ? undefined : Math.round(fraction * 100);
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      className="h-1.5 w-full overflow-hidden rounded-full bg-hover"
    >
      <div
        className={`h-full rounded-full bg-accent transition-[width] ${fraction === undefined ? 'animate-pulse' : ''}`}
        style={{ width: `${percent ?? 100}%` }}
      />
    </div>
  );
}
