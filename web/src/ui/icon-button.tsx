import { Tooltip } from '@base-ui/react/tooltip';
import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';

export const iconButtonClass =
  'inline-flex size-8 shrink-0 items-center justify-center rounded-lg text-muted transition-colors hover:bg-hover hover:text-text disabled:pointer-events-none disabled:opacity-40';

/** A button with an icon; the label is its name for screen readers, and its tooltip. */
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
    <Tooltip.Root>
      <Tooltip.Trigger
        {...rest}
        type="button"
        aria-label={label}
        className={classNames(iconButtonClass, className)}
      >
        <Icon size={size} aria-hidden />
      </Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6} className="z-50">
          <Tooltip.Popup className="popup rounded-md bg-text px-2 py-1 text-xs text-bg">
            {label}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
