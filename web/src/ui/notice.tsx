import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

const tones = {
  info: 'bg-panel',
  warn: 'border-warn/30 bg-warn-soft text-warn',
  danger: 'border-danger/30 bg-danger-soft text-danger',
};

/** A message within the content of a page. */
export function Notice({
  tone = 'info',
  title,
  children,
}: {
  readonly tone?: keyof typeof tones;
  readonly title?: string;
  readonly children?: ReactNode;
}) {
  return (
    <div
      role={tone === 'danger' ? 'alert' : 'note'}
      className={classNames('rounded-xl border px-4 py-3 text-sm break-words', tones[tone])}
    >
      {title !== undefined && <p className="font-semibold">{title}</p>}
      {children}
    </div>
  );
}
