import { texts } from '../texts/texts.ts';
import { classNames } from './class-names.ts';

/** Gray lines in place of content that is loading. */
export function Skeleton({
  lines = 3,
  className,
}: {
  readonly lines?: number;
  readonly className?: string;
}) {
  return (
    <div
      role="status"
      aria-label={texts.app.loading}
      className={classNames('animate-pulse', className)}
    >
      {Array.from({ length: lines }, (_, index) => (
        <div
          key={index}
          className={classNames('mb-3 h-4 rounded bg-hover', index % 3 === 2 ? 'w-2/3' : 'w-full')}
        />
      ))}
    </div>
  );
}
