import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

/** Layout of a page that scrolls as a whole: title, description and content. */
export function Page({
  title,
  description,
  actions,
  isWide = false,
  children,
}: {
  readonly title: string;
  readonly description?: string;
  readonly actions?: ReactNode;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <div
      className={classNames(
        'mx-auto flex flex-col gap-6 px-4 py-6 sm:px-8 sm:py-9',
        isWide ? 'max-w-6xl' : 'max-w-4xl',
      )}
    >
      <header className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
          {description !== undefined && (
            <p className="mt-1 max-w-prose text-sm text-muted">{description}</p>
          )}
        </div>
        {actions}
      </header>
      {children}
    </div>
  );
}

/** A part of a page with a title. */
export function Section({
  title,
  description,
  actions,
  children,
}: {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section aria-label={title} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end justify-between gap-2">
        <div className="min-w-0">
          <h2 className="text-[15px] font-semibold">{title}</h2>
          {description !== undefined && <p className="text-sm text-muted">{description}</p>}
        </div>
        {actions}
      </div>
      {children}
    </section>
  );
}
