import { LoaderCircle } from 'lucide-react';
import { classNames } from '../../../ui/class-names.ts';

/** Shows whether a model is loaded or loading. */
export function StateDot({
  isLoaded: loaded,
  progress,
}: {
  readonly isLoaded: boolean;
  readonly progress: number | undefined;
}) {
  if (progress !== undefined && !loaded) {
    return <LoaderCircle size={14} aria-hidden className="shrink-0 animate-spin text-accent" />;
  }
  return (
    <span
      aria-hidden
      className={classNames(
        'size-2 shrink-0 rounded-full',
        loaded ? 'bg-ok' : 'border border-strong-line',
      )}
    />
  );
}
