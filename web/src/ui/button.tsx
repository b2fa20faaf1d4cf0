import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';

const variants = {
  primary: 'bg-accent text-on-accent hover:bg-accent-hover',
  secondary: 'border bg-raised hover:bg-hover',
  quiet: 'text-muted hover:bg-hover hover:text-text',
  danger: 'border border-danger/40 bg-raised text-danger hover:bg-danger-soft',
};
const sizes = { medium: 'h-9 gap-2 px-3.5', small: 'h-7 gap-1.5 px-2 text-[13px]' };

export interface ButtonStyle {
  readonly variant?: keyof typeof variants;
  readonly size?: keyof typeof sizes;
}

/** Class names of a button, for links and triggers that should look like one. */
export function buttonClass({ variant = 'secondary', size = 'medium' }: ButtonStyle = {}): string {
  return classNames(
    'inline-flex shrink-0 items-center justify-center rounded-lg text-sm font-medium whitespace-nowrap transition-colors',
    'disabled:pointer-events-none disabled:opacity-45',
    variants[variant],
    sizes[size],
  );
}

export function Button({
  variant = 'secondary',
  size = 'medium',
  className,
  ...rest
}: ComponentProps<'button'> & ButtonStyle) {
  return (
    <button
      type="button"
      {...rest}
      className={classNames(buttonClass({ variant, size }), className)}
    />
  );
}
