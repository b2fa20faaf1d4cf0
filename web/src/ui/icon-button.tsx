import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';

export const iconButtonClass =
  'inline-flex size-8 shrink-0 items-center justify-center rounded-lg text-muted transition-colors hover:bg-hover hover:text-text disabled:pointer-events-none disabled:opacity-40';

/** A button with an icon. The label is its tooltip, and its name for screen readers. */
export function IconButton({
  icon: Icon,
  label,
  size = 17,
  className,
  ...rest
}: ComponentProps<'button'> & {
  readonly icon: LucideIcon;
  readonly label: string;
  readonly size?: number;
}) {
  return (
    <button
      type="button"
      title={label}
      aria-label={label}
      {...rest}
      className={classNames(iconButtonClass, className)}
    >
      <Icon size={size} aria-hidden />
    </button>
  );
}
